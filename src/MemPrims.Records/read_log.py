#!/usr/bin/env python3
"""Reads a log by LOG-FORMAT.md alone: read_log.py FOLDER writes a line for each payload, its position and its bytes in hexadecimal, then
"end P". Damage ends it with exit code 1 and a line on standard error; what is sound before it has been written."""
import os, re, struct, sys

TABLE = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
    TABLE.append(n)

def crc(data):
    c = 0xFFFFFFFF
    for b in data:
        c = c >> 8 ^ TABLE[(c ^ b) & 255]
    return c ^ 0xFFFFFFFF

def header(data, at, place, least=-2):
    if at + 32 > len(data):
        return None
    check, length, position, mark, sums = struct.unpack_from('<IiqqQ', data, at)
    sound = position == place and least <= length <= 2147418112 and crc(log_id + data[at + 4:at + 32]) == check
    return (length, mark, sums) if sound else None

def frame(data, at, place):
    length, mark, sums = header(data, at, place) or (None, 0, 0)
    if length is None:
        return None
    body = data[at + 32:at + 32 + (max(length, 0) + 7) // 8 * 8]
    if len(body) < max(length, 0) or len(body) % 8:
        return None
    total = sum(word for word, in struct.iter_unpack('<Q', body))
    return (length, mark, body) if sums == crc(body) | (total >> 32 & 0xFFFFFFFF ^ total & 0xFFFFFFFF) << 32 else None

folder = sys.argv[1]
begins = sorted(int(name[:19]) for name in os.listdir(folder) if re.fullmatch(r'[0-9]{19}\.log', name)) or sys.exit('no log is here')
files = [open(os.path.join(folder, f'{first:019}.log'), 'rb').read()[:after and after - first]
         for first, after in zip(begins, begins[1:] + [None])]
for first, data in zip(begins, files):
    numbers = struct.unpack_from('<qiI', data[:32].ljust(32), 16)
    if data[:8] != b'\x89MPLOG01' or data[8:16] != files[0][8:16] or numbers != (first, 1, crc(data[:28])) \
            or first % 8 or first > 1 << 62:
        sys.exit(f'the header of the file at {first} is damaged')
log_id, place, top = files[0][8:16], begins[0], 0
for number, (first, data) in enumerate(zip(begins, files)):
    place = first + 64
    while found := frame(data, place - first, place):
        if found[0] >= 0:
            print(place, found[2][:found[0]].hex())
        top, place = max(top, found[1]), place + 32 + len(found[2])
    if place != (begins + [None])[number + 1]:
        break
for first, data in zip(begins, files):
    top = max([top] + [found[1] for at in range(0, len(data), 8) if first + at > place and (found := header(data, at, first + at))])
gone = place > begins[-1] and header(files[-1], place - begins[-1], place, least=-3)
sys.exit(f'the log is damaged at {place}') if top > place or gone and gone[0] == -3 else print('end', place)
