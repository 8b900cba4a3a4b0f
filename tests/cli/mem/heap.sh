#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Heap objects of a guest whose allocators' values were recorded, with threads that use each
# other's, with longjmp() and fork().

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread -fno-builtin -o guest \
	"$SRC/tests/cli/mem/heap.c"
# record OPTION...: with the values of allocators.
record() {
	"$WAYMARK" record --qemu "$QEMU" --value 'malloc:a0,ret' --value 'calloc:a0,a1,ret' \
		--value 'realloc:a0,a1,ret' --value 'free:a0' "$@" -- ./guest
}
record --mem -o run.wmk
"$WAYMARK" insns run.wmk --process 0 --values --interleave --format jsonl >order.jsonl 2>remark
mem() { "$WAYMARK" mem run.wmk --format csv "$@"; }
mem --process 0 --by object >mem.csv
"$WAYMARK" cache run.wmk --process 0 --by object --format csv >cache.csv
"$PYTHON" "$SRC/tests/cli/mem/heap.py" order.jsonl mem.csv cache.csv 'heap: make_item (16)=5200' \
	'heap: make_table (4000)=500' 'heap: main (9000)=1125' 'heap: work (800)=100'
for j in 1 3; do
	mem -j $j --by object | cksum
done >sums
check "any number of threads" test "$(sort -u sums | wc -l)" -eq 1

mem --process 0 --function sum -f object >list
check "the list has objects and offsets" sh -c \
	'grep -qx "heap: make_item (16)" list && grep -qx "heap: make_item (16)+0x8" list'
mem --process 1 --function sum -f object | sort | uniq -c >child
check "a forked child has its parent's objects" grep -q '49 heap: make_item (16)+0x8$' child
mem --by object -f object,module | grep '^heap: main (9000)' >module
check "the module is the caller's" grep -q ',.*guest$' module

# ---- the values themselves ------------------------------------------------------------------
mem --registers --process 0 -f kind,place,register,value --function make_table >values
check "what calloc() returned to its caller" grep -qx \
	'returned,"calloc:a0,a1,ret",a0,0x[0-9a-f]*' values
mem --registers --process 0 -f place,register,value | grep '^"calloc' | grep -v ret,a0 >values
check "and was called with" grep -qx '"calloc:a0,a1,ret",a1,0x0000000000000050' values
"$WAYMARK" insns run.wmk --values --process 0 --no-events >lines 2>remark
check "insns has them" grep -q '\[register a0 = 0x0000000000000032, register a1 = 0x0*50\]' lines

# ---- without accesses, and without allocators -------------------------------------------------
record -o places.wmk
refused "no accesses" "*has values of registers (--registers), but no accesses of memory*--mem" "$WAYMARK" mem places.wmk --by object
refused "none for caches" "*no accesses of memory*--mem" "$WAYMARK" cache places.wmk
"$WAYMARK" mem places.wmk --registers --thread 0 --format csv -f kind,value >alone
check "values alone" test "$(grep -c ^returned alone)" -gt 50
"$WAYMARK" record --qemu "$QEMU" --mem --value 'sum:a0,mem(a0+8,4)' -o other.wmk -- ./guest
"$WAYMARK" mem other.wmk --by object --format csv -f object >objects
check "no allocators, no heap objects" sh -c '! grep -q ^heap: objects'
"$WAYMARK" mem other.wmk --registers --format csv >values
check "memory at a place has its address" \
	grep -q ',memory,"[^"]*",,0x[0-9a-f]*8,0x[0-9a-f]\{8\},sum$' values
finish
