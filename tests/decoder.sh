#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# decoder.sh - the reference decoder, FORMAT.md and the library agree.
#
# FORMAT.md's example is what it says it is; docs/decoder.py and waymark list the same
# blocks and instructions of it, of the golden files (whole, cut short, and damaged), and
# of guests recorded now.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/cli/common"

decoder() { "$PYTHON" "$SRC/docs/decoder.py" "$@"; }

# agree_blocks NAME FILE THREAD: the same by blocks alone.
agree_blocks() {
	"$WAYMARK" blocks --format pc --thread "$3" "$2" >blocks.c
	decoder --blocks --stream "$3" "$2" >blocks.py
	same "$1: blocks" blocks.c blocks.py
}

# agree NAME FILE THREAD: both decoders, by blocks and by instructions.
agree() {
	agree_blocks "$@"
	"$WAYMARK" insns --format qemu --thread "$3" "$2" |
		awk '{ sub(/^0x0*/, "", $1); sub(/:$/, "", $1); print $1, $2 }' >insns.c
	decoder --insns --stream "$3" "$2" >insns.py
	same "$1: instructions" insns.c insns.py
}

# prefix FILE BYTES: the first that many bytes of it; both decoders serve the same of them,
# or both nothing.
prefix() {
	head -c "$2" "$1" >cut.wmk
	for thread in 0 1; do
		"$WAYMARK" blocks --format pc --thread $thread cut.wmk >blocks.c 2>/dev/null || true
		decoder --stream $thread cut.wmk >blocks.py 2>/dev/null || true
		cmp -s blocks.c blocks.py || {
			echo "$2 bytes, thread $thread"
			return 1
		}
	done
}

prefixes() {
	size=$(wc -c <"$1")
	for bytes in 0 8 31 32 40 $(seq 700 331 "$size") $((size - 24)) $((size - 1)); do
		prefix "$1" "$bytes" || return 1
	done
}

# ---- the example: bytes, and the sequence of ids that the text says ----------

cp "$SRC/tests/decoder_example.py" example.py
"$PYTHON" example.py "$SRC/FORMAT.md" >example.blocks
agree "FORMAT.md's example" example.wmk 0
same "FORMAT.md's example is correct" example.blocks blocks.py
run "$WAYMARK" verify example.wmk
check "FORMAT.md's example is sound" [ "$status" -eq 0 ]

# ---- files -------------------------------------------------------------------

XDG_CACHE_HOME=$SRC/tests/golden # v8 has left code in a file
export XDG_CACHE_HOME

for file in "$SRC"/tests/golden/*.wmk; do
	name=$(basename "$file")
	threads=$("$WAYMARK" info --format json "$file" | grep -c '"generation"')
	for thread in $(seq 0 $((threads - 1))); do
		agree "$name, thread $thread" "$file" "$thread"
	done
	check "$name cut short" prefixes "$file"
done

"$BUILD/tests/unit/make_trace" gaps.wmk gaps
agree "gaps, thread 0" gaps.wmk 0
agree "gaps, thread 1" gaps.wmk 1
decoder --events gaps.wmk >events.py
check "their events" grep -qx "3 5 3000 \[0, 0, 1000\] b''" events.py

# agree_accesses NAME FILE THREAD: the same accesses of memory, with their data.
agree_accesses() {
	"$WAYMARK" mem --format csv -f pc,kind,address,size,value --thread "$3" "$2" 2>mem.err |
		sed '1d; s/,$//; s/,/ /g' >mem.c
	decoder --accesses --stream "$3" "$2" >mem.py
	same "$1: accesses" mem.c mem.py
	check "$1 has some" [ -s mem.py ]
}

"$BUILD/tests/unit/make_trace" values.wmk values >values.txt
agree_accesses "values, thread 0" values.wmk 0
agree_accesses "values, thread 1" values.wmk 1
"$BUILD/tests/unit/make_trace" fetches.wmk fetches
agree_accesses "fetches of an interpreter" fetches.wmk 0

"$BUILD/tests/unit/make_trace" spaces.wmk spaces
agree "a thread in several spaces" spaces.wmk 0
decoder --spaces spaces.wmk >spaces.py
printf '0 %d %d /bin/%s\n' 0 2 one 7 2 one 8 3 two 16 2 one >spaces.wanted
same "its spaces" spaces.py spaces.wanted
decoder --schedule spaces.wmk >schedule.py
printf '%d %d 0 %d\n' 5000 0 0 5900 1 5 >schedule.wanted
same "its schedule" schedule.py schedule.wanted

# A chunk of thread 1 is lost: both stop before it.
cp "$SRC/tests/golden/v1.wmk" lost.wmk
printf XYZ | dd of=lost.wmk bs=1 seek=2730 conv=notrunc 2>/dev/null
"$WAYMARK" recover --output recovered.wmk lost.wmk >/dev/null
agree "a recovered file, thread 0" recovered.wmk 0
"$WAYMARK" blocks --format pc --thread 1 recovered.wmk >blocks.c 2>/dev/null || true
decoder --stream 1 recovered.wmk >blocks.py 2>stderr
same "a lost chunk" blocks.c blocks.py
check "the decoder reports the lost chunk" grep -q 'stream 1 is lost from block 300 on' stderr

# tight runs millions of blocks, and so comes to every kind of code
for guest in status.O3 tight.nc; do
	"$WAYMARK" record -o $guest.wmk "$GUESTS/$guest" >/dev/null || true
done
agree status.O3 status.O3.wmk 0
agree_blocks tight.nc tight.nc.wmk 0

# ---- events that are of no stream --------------------------------------------

"$WAYMARK" record -o events.wmk --events 'tb_translate,block_version' "$GUESTS/jit.O3" >/dev/null
decoder --timeline events.wmk | awk '{ print $2, $3, $4 }' >timeline.py
"$WAYMARK" events events.wmk --format jsonl | "$PYTHON" "$SRC/tests/decoder_facts.py" events_of_no_thread \
	>timeline.c
same "events of no thread" timeline.c timeline.py
check "some of them" test "$(wc -l <timeline.c)" -gt 500
finish
