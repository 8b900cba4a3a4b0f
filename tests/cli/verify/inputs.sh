#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Things that are no traces and no logs: an error each, soon, and without much memory.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cp "$SRC/tests/golden/v1.wmk" run.wmk
mkfifo pipe
verify="timeout $GUARD $WAYMARK verify"

# What verify takes as a trace.
for file in pipe . /dev/zero /dev/null; do
	# shellcheck disable=SC2086 # words
	refused "a trace that is $file" "*$file: not a regular file" $verify "$file"
	refused "$file for a listing" "*$file: not a regular file" \
		timeout "$GUARD" "$WAYMARK" insns "$file"
done
refused "no trace at all" '*cannot open nothing.wmk: No such file*' \
	timeout "$GUARD" "$WAYMARK" verify nothing.wmk

# What it takes as a log.
# bad_log NAME PATTERN FILE
bad_log() {
	# shellcheck disable=SC2086 # words
	refused "$1" "$2" $verify run.wmk --against "$3"
}
bad_log "no log" '*cannot open nothing: No such file*' nothing
bad_log "a folder as a log" '*cannot read the log: Is a directory' .
bad_log "an empty log" '*no Trace line*' /dev/null
bad_log "zeros without end" '*a line of more than a megabyte*' /dev/zero
bad_log "lines without end" '*not QEMU*log*' /dev/urandom
"$PYTHON" - <<'END'
line = "0x1000:  00000013          nop\n"
with open("long-line", "w") as log:
    log.write("IN: \n0x1000:  " + "0" * 2000000 + "  nop\n")
with open("long-block", "w") as log:
    log.write("IN: \n" + line * 100000 + "\n")
with open("many", "w") as log:
    for i in range(2000):
        log.write(f"IN: \n0x{i * 4:x}:  00000013          nop\n\n"
                  f"Trace {i}: 0x{i + 1:x} [0/{i * 4:x}/0/200]\n")
END
bad_log "a line of megabytes" '*a line of more than a megabyte*' long-line
bad_log "a block of megabytes" '*a block of more than a megabyte*' long-block
bad_log "thousands of CPUs" '*is not as QEMU writes it*' many
bad_log "the trace as its log" '*' run.wmk
for log in /dev/null run.wmk; do
	# shellcheck disable=SC2086 # words
	refused "a pipe for a trace, and $log" '*' $verify pipe --against "$log"
done

# ---- small files that ask for much ------------------------------------------------------

cat >bombs.py <<'END'
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
END
"$PYTHON" bombs.py
# One processor and 1.5 GB for whoever looks at them.
cat >bounded.py <<'END'
import os, resource, sys
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
resource.setrlimit(resource.RLIMIT_AS, (1500 << 20, 1500 << 20))
os.execvp(sys.argv[1], sys.argv[1:])
END
for bomb in facts blocks texts loops known headers gap; do
	for command in info verify "insns --count 5" recover; do
		status=0
		# shellcheck disable=SC2086 # words
		"$PYTHON" bounded.py timeout "$GUARD" "$WAYMARK" $command $bomb.wmk >out 2>err || status=$?
		rm -f ./*.recovered
		check "$command of $bomb" test "$status" -le 2 -a -z "$(grep 'out of memory' err)"
	done
done
finish
