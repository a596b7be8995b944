#!/usr/bin/env python3
"""Reads a file of records by FORMAT.md alone: read_records.py FILE [FORMAT] writes a line for each record: its id and its bytes in
hexadecimal, or the values of its first fields by a format of Python's module struct, as "<qi". Damage ends it with
exit code 1 and a line on standard error, before any record is written."""
import struct, sys

TABLE = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
    TABLE.append(n)

def crc(data, before=0):
    c = before ^ 0xFFFFFFFF
    for b in data:
        c = c >> 8 ^ TABLE[(c ^ b) & 255]
    return c ^ 0xFFFFFFFF

def meta(slot, size):
    """The number of the transaction, records, pages, free records, sum, bitmap, writes, and what all pages name; None when invalid."""
    head = bytes(data[slot * size:(slot + 1) * size])
    magic, form, told, record, version, _, stride, fixed, page, _, _, number, total, records, pages, _, carried, free, sealed = \
        struct.unpack_from('<8s3I4HI4Q2IQ2IQ', head.ljust(96))
    if (magic, form, told, page, number & 1) != (b'MEMMREC1', 2, size, 4096, slot) or not 0 < number <= 2**62 or any(head[96:124]):
        return None
    if not 0 < stride <= 4064 or stride % 8 or not 0 < fixed <= stride or records >= 2**31 or free > records or pages > (size - 128) * 8:
        return None
    start, seal = 128 + (pages + 63) // 64 * 8, 0
    if start + carried > size or carried % 8 or crc(head[:124] + head[128:start]) != struct.unpack_from('<I', head, 124)[0]:
        return None
    for word, in struct.iter_unpack('<Q', head[:88] + head[128:start + carried]):
        seal = (seal ^ word) * 0x9E3779B97F4A7C15 & 2**64 - 1
        seal = (seal << 29 | seal >> 35) & 2**64 - 1
    each = max(n for n in range(1, 4065) if n * stride + max(0, (n - 25) // 8) <= 4064)
    valid = seal == sealed and pages == -(-records // each)
    return (number, size, records, free, total, head[128:start], head[start:start + carried], each, record, version, stride, fixed) \
        if valid else None

data = bytearray(open(sys.argv[1], 'rb').read())
found = [state for size in (4096 << n for n in range(9)) for slot in (0, 1) if (state := meta(slot, size))]
number, size, records, free, total, bitmap, writes, each, *names = max(found) if found else sys.exit('no sound meta slot')
lines, places = [], [2 * size + (2 * page + (bitmap[page // 8] >> page % 8 & 1)) * 4096 for page in range(-(-records // each))]
while writes:
    place, count = struct.unpack_from('<Q', writes)[0] // 256 * 64, writes[0] * 64
    if place // 4096 * 4096 not in places or place % 4096 + count > 4096 or not 8 < 8 + count <= len(writes):
        sys.exit('a write in the meta slot is damaged')
    data[place:place + count], writes = writes[8:8 + count], writes[8 + count:]
for page, place in enumerate(places):
    told, at, wrote, *head, bits = struct.unpack_from('<IIQI4HI', data[place:place + 32].ljust(32))
    whole, count = bytes(data[place:place + 4096]), min(each, records - page * each)
    if len(whole) < 4096 or told != crc(whole[4:], page) or [at, *head] != [page, *names, count] or not 0 < wrote <= number:
        sys.exit(f'page {page} is damaged')
    bits, total = bits | int.from_bytes(whole[4096 - max(0, (each - 25) // 8):], 'little') << 32, total - told
    for i in range(count):
        record, free = whole[32 + i * names[2]:32 + (i + 1) * names[2]], free - (bits >> i & 1)
        if not bits >> i & 1:
            fields = struct.unpack_from(sys.argv[2], record) if len(sys.argv) > 2 else [record.hex()]
            lines.append(' '.join(map(str, [page * each + i, *fields])) + '\n')
sys.exit('an old page stands in the place of a newer one') if total % 2**64 or free else sys.stdout.writelines(lines)
