#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Heap objects of threads that free each other's at the same time: in the order of the listing,
# and memory does not grow with the number of threads.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread -fno-builtin -o guest \
	"$SRC/tests/cli/mem/heap_threads.c"
# record TRACE THREADS ROUNDS
record() {
	"$WAYMARK" record --qemu "$QEMU" --mem --value 'malloc:a0,ret' --value 'calloc:a0,a1,ret' \
		--value 'realloc:a0,a1,ret' --value 'free:a0' -o "$1" -- ./guest "$2" "$3"
}
record few.wmk 5 200
"$WAYMARK" insns few.wmk --values --interleave --format jsonl >order.jsonl 2>remark
"$WAYMARK" mem few.wmk --by object --format csv >mem.csv
"$WAYMARK" cache few.wmk --by object --format csv >cache.csv
"$PYTHON" "$SRC/tests/cli/mem/heap.py" order.jsonl mem.csv cache.csv \
	'heap: make (16)=20' 'heap: make (112)=20' 'heap: make (192)=20'

record two.wmk 2 30000
record twelve.wmk 12 30000
for j in 1 3; do
	"$WAYMARK" mem twelve.wmk -j $j --by object --format csv | cksum
done >sums
check "any number of threads here" test "$(sort -u sums | wc -l)" -eq 1
check "no more memory for more threads" \
	"$PYTHON" "$SRC/tests/cli/mem/heap_threads_facts.py" two.wmk twelve.wmk
finish
