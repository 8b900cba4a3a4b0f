# SPDX-License-Identifier: GPL-2.0-or-later
import struct, sys, xxhash, zstandard
compress = zstandard.ZstdCompressor(level=3).compress

def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])

def string(text):
    return varint(len(text)) + text

def packed(raw):
    small = compress(raw)
    return varint(len(raw)) + (string(small) if len(small) < len(raw) else string(raw))

def section(kind, payload):
    small = compress(payload)
    flags, stored = (1, small) if len(small) < len(payload) else (0, payload)
    header = struct.pack("<4sIQQ", kind, flags, len(stored), len(payload))
    seed = xxhash.xxh3_64_intdigest(header)
    return header + struct.pack("<Q", xxhash.xxh3_64_intdigest(stored, seed)) + stored

header = b"\211WMK\r\n\032\n" + struct.pack("<IIII", 1, 0, 0, 0)
header += struct.pack("<Q", xxhash.xxh3_64_intdigest(header))
start = header + section(b"PROC", struct.pack("<IIIQ", 0, 1, 2**32 - 1, 1) + string(b"x"))
start += section(b"STRM", struct.pack("<IIIII", 0, 0, 0, 0, 1) + string(b""))

def blocks(first, n):
    return section(b"BLKS", struct.pack("<III", first, n, 1) + b"\0" * n + b"\1" * n +
                   b"\1\0" * n)

def chunk(path_off, blocks, index, known=1):
    return section(b"CHNK", struct.pack(
        "<IIQQQQQQIII", 0, blocks, blocks, blocks * index, blocks * index, 1, 2, path_off,
        0, known, 1) + packed(varint(1) + varint(blocks)))

loop = section(b"PATH", packed(b"\3\3") + packed(b"") + packed(b"\0\1") + packed(b""))
M = 1 << 20

bombs = {
    # 64 MiB of facts in each of 40 sections
    "facts": start + section(b"META", string(b"k") + string(b"v" * (64 * M - 64))) * 40,
    "blocks": start + b"".join(blocks(1 + i * 15 * M, 15 * M) for i in range(20)),
    "texts": start + b"".join(
        section(b"DISA", b"".join(struct.pack("<BIB", 4, i << 2 | 3, 0) for i in range(M)))
        for _ in range(3)),
    # a loop of 2^24 blocks, in 40 chunks that share its path
    "loops": start + blocks(1, 1),
    "known": start + blocks(1, 4 * M),
    # nothing is intact, but every 32 bytes promise a section of megabytes
    "headers": start + struct.pack("<4sIQQQ", b"PATH", 0, 3 * M, 3 * M, 1) * 100000,
    # a section that says it is damaged, and a chunk from the end of time
    "gap": start + blocks(1, 1) + b"CHNK" + b"\377" * 500,
}
path = len(bombs["loops"])
bombs["loops"] += loop + b"".join(chunk(path, 1 << 24, i) for i in range(40))
path = len(bombs["known"])
bombs["known"] += loop + b"".join(chunk(path, 2, i, 4 * M) for i in range(100))
bombs["gap"] += loop + chunk(len(bombs["gap"]), 1 << 24, 2**39 - 1)
for name, bomb in bombs.items():
    open(name + ".wmk", "wb").write(bomb)
