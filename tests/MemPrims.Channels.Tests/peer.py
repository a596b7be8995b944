"""A peer of a channel, written from PROTOCOL.md alone: it sends every message back, reversed, with as many descriptors as came.

Usage: peer.py PATH ring|packets
"""
import array, ctypes, fcntl, mmap, os, socket, struct, sys

HEADER = struct.Struct("<IBBHqQq")
MAGIC = 0x3243504D
WHOLE, FRAGMENT, SWITCH, GROW, HELLO, BELL, HANDLES = range(1, 8)
PRODUCED, CONSUMED, SLEEPS_ON_SOCKET, TAKES_RING, SLEEPS_ON_PRODUCED, HAS_ENDED, SLEEPS_ON_CONSUMED = 0, 128, 260, 264, 256, 268, 384
SMALL, LARGE, STEP = 8192, 65536, 4096
libc = ctypes.CDLL(None)
FUTEX = 98 if os.uname().machine == "aarch64" else 202


class End:
    def __init__(self, path, shares):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(path)
        self.mine = self.theirs = None
        file = -1
        if shares:
            file = os.memfd_create("peer", os.MFD_ALLOW_SEALING)
            os.ftruncate(file, 131072 + LARGE)
            os.posix_fallocate(file, 0, 131072 + LARGE)
            self.mine = mmap.mmap(file, 131072 + LARGE)
            fcntl.fcntl(file, 1033, 1 | 2 | 4 | 16)
        hello = struct.pack("<iiiiq", 3, SMALL if shares else 0, LARGE if shares else 0, 8, 1 << 28)
        self.packet(HELLO, hello, 24, files=[file] if shares else [])
        header, payload, files = self.receive_packet()
        assert header[1] == HELLO and len(payload) == 24, header
        version, self.small, self.large, _, _ = struct.unpack("<iiiiq", payload)
        assert version == 3
        if shares and files:
            self.large_at = 65536 + (self.small + 65535 & ~65535)
            self.theirs = mmap.mmap(files[0], self.large_at + self.large, prot=mmap.PROT_READ)
            os.close(files[0])
        self.produced = self.consumed = self.began = 0
        self.sends_by_ring = self.receives_by_ring = self.grown = self.their_growth = False
        self.ahead, self.parts, self.rung = {}, {}, 0

    # The socket

    def packet(self, kind, payload=b"", total=0, id=0, offset=0, files=()):
        header = HEADER.pack(MAGIC, kind, len(files), 0xFFFF, total, id, offset)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        self.socket.sendmsg([header, payload], rights)

    def receive_packet(self, wait=True):
        try:
            data, control, _, _ = self.socket.recvmsg(32 + 131072, 4096, 0 if wait else socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        except ConnectionResetError:  # the other end closed before it had read a bell: an end like any other
            data, control = b"", []
        files = array.array("i")
        for level, kind, body in control:
            files.frombytes(body)
        if not data:
            return (0, 0, 0, 0, 0, 0, 0), None, []
        header = HEADER.unpack(data[:32])
        assert header[0] == MAGIC and header[2] == len(files), header
        return header, data[32:], list(files)

    # Fields of shared memory

    # Both sides read a field while it is written, so each is one load or one store. Of struct, "q" without "<" is a load of eight bytes; its
    # pack_into is none: it clears the bytes first.
    def get(self, memory, at, form="i"):
        return struct.unpack_from(form, memory, at)[0]

    def put(self, at, value, field=ctypes.c_int32):
        field.from_buffer(self.mine, at).value = value

    def wake(self, at):
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.mine, at))
        libc.syscall(FUTEX, ctypes.c_void_p(address), 1, 1 << 30, None, None, 0)

    # Sending

    def publish(self):
        self.put(PRODUCED, self.produced, ctypes.c_int64)
        if self.get(self.theirs, SLEEPS_ON_PRODUCED):
            self.wake(PRODUCED)
        sleep = self.get(self.theirs, SLEEPS_ON_SOCKET)
        if sleep & 1 and sleep != self.rung:
            self.rung = sleep
            try:
                self.packet(BELL)
            except BrokenPipeError:  # the other end took the entry unrung, and closed: what came before is still to be read
                pass

    def room(self):
        took = self.get(self.theirs, CONSUMED, "q")
        return (LARGE if self.grown else SMALL) - 64 - (self.produced - max(took, self.began))

    def write(self, data):
        start, length = (131072, LARGE) if self.grown else (65536, SMALL)
        for i in range(0, len(data)):
            self.mine[start + (self.produced + i) % length] = data[i]
        self.produced += len(data)

    def send(self, payload, files):
        if self.theirs and not self.sends_by_ring and self.get(self.theirs, TAKES_RING):
            self.packet(SWITCH)
            self.sends_by_ring = True
        if not self.sends_by_ring:
            if len(payload) <= 60000:
                return self.packet(WHOLE, payload, len(payload), files=files)
            for at in range(0, len(payload), 50000):
                self.packet(FRAGMENT, payload[at:at + 50000], len(payload), 77, at, files if at == 0 else ())
            return
        if not self.grown and self.room() < 32 + len(payload) + 63:
            self.write(HEADER.pack(MAGIC, GROW, 0, 0xFFFF, 0, 0, 0) + bytes(32))
            self.grown, self.began = True, self.produced
            self.publish()
        if files:
            self.packet(HANDLES, id=self.produced, files=files)
        entry = HEADER.pack(MAGIC, WHOLE, len(files), 0xFFFF, len(payload), 0, 0) + payload
        entry += bytes(-len(entry) % 64)
        for at in range(0, len(entry), STEP):
            step = entry[at:at + STEP]
            while self.room() < len(step):
                pass
            self.write(step)
            self.publish()

    # Receiving

    def read(self, length):
        while self.get(self.theirs, PRODUCED, "q") - self.consumed < length:
            pass
        start, size = (self.large_at, self.large) if self.their_growth else (65536, self.small)
        at = self.consumed % size
        data = self.theirs[start + at:start + min(size, at + length)]
        data += self.theirs[start:start + length - len(data)]
        self.consumed += length
        self.put(CONSUMED, self.consumed, ctypes.c_int64)
        if self.get(self.theirs, SLEEPS_ON_CONSUMED):
            self.wake(CONSUMED)
        return data

    def take_packet(self, wait):
        """A message, None, or False at the end."""
        packet = self.receive_packet(wait)
        if packet is None:
            return None
        (_, kind, _, _, total, id, offset), payload, files = packet
        if payload is None:
            return False
        if kind == SWITCH:
            self.receives_by_ring = True
        elif kind == HANDLES:
            self.ahead[id] = files
        elif kind == WHOLE:
            assert total == len(payload)
            return payload, files
        elif kind == FRAGMENT:
            message, first = self.parts.setdefault(id, (bytearray(), files))
            assert len(message) == offset
            message += payload
            if len(message) == total:
                del self.parts[id]
                return bytes(message), first
        else:
            assert kind == BELL, kind
        return None

    def take_entry(self):
        while self.get(self.theirs, PRODUCED, "q") != self.consumed:
            position = self.consumed
            magic, kind, count, _, total, _, _ = HEADER.unpack(self.read(32))
            assert magic == MAGIC and kind in (WHOLE, GROW), kind
            if kind == GROW:
                self.read(32)
                self.their_growth = True
                continue
            payload = b""
            while len(payload) < total:
                payload += self.read(min(STEP, total - len(payload)))
            self.read(-(32 + total) % 64)
            while count and position not in self.ahead:
                assert self.take_packet(True) is None
            return payload, self.ahead.pop(position, [])
        return None

    def receive(self):
        if self.mine and self.theirs:
            self.put(TAKES_RING, 1)
        while True:
            if self.receives_by_ring and (message := self.take_entry()):
                return message
            if self.theirs:
                self.put(SLEEPS_ON_SOCKET, self.get(self.mine, SLEEPS_ON_SOCKET) + 1)
            # Python has no fence between the flag and the look at the count: so it looks again now and then.
            self.socket.settimeout(0.02 if self.receives_by_ring else None)
            try:
                message = self.take_packet(True) if not self.receives_by_ring or self.get(self.theirs, PRODUCED, "q") == self.consumed else None
            except TimeoutError:
                message = None
            self.socket.settimeout(None)
            if self.theirs:
                self.put(SLEEPS_ON_SOCKET, self.get(self.mine, SLEEPS_ON_SOCKET) + 1)
            if message is False:
                return self.take_entry() if self.receives_by_ring else None
            if message is not None:
                return message


end = End(sys.argv[1], sys.argv[2] == "ring")
while (message := end.receive()) is not None:
    payload, files = message
    end.send(payload[::-1], files)
    for file in files:
        os.close(file)
