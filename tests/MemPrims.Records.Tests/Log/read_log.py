#!/usr/bin/env python3
"""Reads a log by LOG-FORMAT.md alone: read_log.py FOLDER prints "position length sum-of-bytes" for each frame, then "end P" or "damaged P"."""
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

def header(data, at, place):
    if at + 32 > len(data):
        return None
    check, length, position, mark, sums = struct.unpack_from('<IiqqQ', data, at)
    if position != place or not -2 <= length <= 2147418112 or crc(log_id + data[at + 4:at + 32]) != check:
        return None
    return length, mark, sums

def frame(data, at, place):
    found = header(data, at, place)
    if not found:
        return None
    padded = (max(found[0], 0) + 7) // 8 * 8
    body = data[at + 32:at + 32 + padded]
    if len(body) < padded:
        return None
    total = sum(struct.unpack(f'<{padded // 8}Q', body)) & (1 << 64) - 1
    if found[2] != crc(body) | ((total >> 32) ^ (total & 0xFFFFFFFF)) << 32:
        return None
    return found[0], found[1], 32 + padded, body[:max(found[0], 0)]

folder = sys.argv[1]
names = sorted(n for n in os.listdir(folder) if re.fullmatch(r'\d{19}\.log', n))
files = [(int(n[:19]), open(os.path.join(folder, n), 'rb').read()) for n in names]
files = [(first, data[:files[i + 1][0] - first] if i + 1 < len(files) else data) for i, (first, data) in enumerate(files)]
for first, data in files:
    magic, log_id, begins, version, check = struct.unpack_from('<8s8sqiI', data)
    assert magic == b'\x89MPLOG01' and begins == first and version == 1 and check == crc(data[:28]), 'no log'
place, marks = files[0][0] + 64, [0]
for number, (first, data) in enumerate(files):
    place = first + 64
    while (found := frame(data, place - first, place)):
        if found[0] >= 0:
            print(place, found[0], sum(found[3]))
        marks.append(found[1])
        place += found[2]
    if number + 1 == len(files) or place != files[number + 1][0]:
        break
for first, data in files:
    marks += [found[1] for at in range(64, len(data) - 31, 8) if first + at > place and (found := header(data, at, first + at))]
print('damaged' if max(marks) > place else 'end', place)
