"""Reads a list of PackedIds by PACKED-IDS.md: read_packed_ids.py FILE prints the ids, a line each, then "end" and the list's size."""
import sys

def need(is_right, what):
    if not is_right:
        sys.exit(f"damaged: {what}")

def varint(data, at):
    value, start = 0, at
    while at < len(data) and at - start < 10:
        value |= (data[at] & 127) << 7 * (at - start)
        at += 1
        if data[at - 1] < 128:
            need((data[at - 1] or at - start == 1) and value < 1 << 64, "varint")
            return value, at
    need(False, "varint")

def numbers(data, at, widths):
    """Numbers of so many bits each, and where they end."""
    end = at + (sum(widths) + 7) // 8
    need(end <= len(data), "too short")
    bits, values = int.from_bytes(data[at:end], "little"), []
    for width in widths:
        values.append(bits & (1 << width) - 1)
        bits >>= width
    need(bits == 0, "padding")
    return values, end

def read(data):
    (count, at), ids = varint(data, 0), []
    need(count <= 1 << 24, "count")
    start, at = varint(data, at) if count > 0 else (0, at)
    if count < 2:
        return [start] * count, at
    blocks, steps = (count + 256) // 257, []
    (shift, step_bits, apart, zero), at = numbers(data, at, [6, 7, 1, 2])
    need(zero == 0 and step_bits + shift <= 64 and (blocks > 1 or apart == step_bits == 0), "shape")
    widths, at = numbers(data, at, [8] * (blocks if apart else min(blocks, 2)))
    if blocks > 1:
        widths = widths if apart else widths[:1] * (blocks - 1) + widths[1:]
        least, at = varint(data, at)
        need(least >= 257, "step")
        steps, at = numbers(data, at, [step_bits] * (blocks - 1))
    for i, code in enumerate(widths):
        gaps, width = min(257, count - i * 257) - 1, code & 127
        (exceptions, extra), at = numbers(data, at, [8, 8]) if code > 127 else ((0, 0), at)
        need(code < 128 or 0 < exceptions <= gaps and extra, "exceptions")
        need(shift + width + extra <= 64 and (gaps or code == 0), "width")
        values, at = numbers(data, at, [width] * gaps + [8] * exceptions + [extra] * exceptions)
        places, upper = values[gaps:gaps + exceptions], values[gaps + exceptions:]
        need(places == sorted(set(places)) and max(places, default=-1) < gaps and all(upper), "exceptions")
        for place in range(-1, gaps):
            high = upper[places.index(place)] << width if place in places else 0
            ids.append(start if place < 0 else ids[-1] + ((values[place] | high) + 1 << shift))
        start += least + steps[i] << shift if i < blocks - 1 else 0
        need(max(ids[-1], start) < 1 << 64 and (i == blocks - 1 or start > ids[-1]), "ids")
    return ids, at

ids, end = read(open(sys.argv[1], "rb").read())
print(*ids, f"end {end}", sep="\n")
