#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a real guest accesses: guest.c says how often and where. The list of all accesses is the
# witness of the sums.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -fno-builtin -fno-inline -o guest \
	"$SRC/tests/cli/mem/guest.c"
"$WAYMARK" record --qemu "$QEMU" --mem --mem-values -o run.wmk -- ./guest
mem() { "$WAYMARK" mem run.wmk --format csv "$@" 2>remark; }

"$WAYMARK" verify run.wmk >verified
check "the trace is sound" grep -q ' values: ' verified
mem >list.csv
mem --watch counter >counter.csv
mem --last-writer counter >last.csv
"$WAYMARK" mem run.wmk --last-writer counter@1 >none 2>remark
check "nobody has written: a remark" grep -q "no store to counter@1 is recorded: the memory has" remark
mem --last-writer counter@bump@77 -f value >placed.csv
check "the last one before a place" grep -qx "$(printf '0x%08x' $((75 * 76 / 2)))" placed.csv
mem --last-writer counter@0:guest.c:11@77 -f value >placed.csv
check "of a thread, before a line" grep -qx "$(printf '0x%08x' $((75 * 76 / 2)))" placed.csv
mem --by function -f function,accesses,loads,stores,constant,strided,irregular >function.csv
mem --watch table,1024 >row_list.csv
mem --watch table,1024 --by function -f function,constant,strided,irregular >row.csv
mem --watch counter --by line -f accesses | tail -n +2 | awk '{ n += $1 } END { print n }' >line.n
check "of what is watched, by line" test "$(cat line.n)" -eq $(($(wc -l <counter.csv) - 1))
mem --by object -f object,accesses,cache_lines >object.csv
mem --by line -f file,line,accesses,loads,stores >line.csv
mem --by page -f page,accesses,bytes >page.csv
mem --reuse >reuse.csv
mem --working-set --interval 10000 -f accesses >sets.csv
mem --function bump >bump.csv
"$WAYMARK" insns run.wmk --values --format jsonl >insns.jsonl
"$PYTHON" "$SRC/tests/cli/mem/guest_facts.py" "$WAYMARK" run.wmk

# ---- the example ----------------------------------------------------------------------------
address=$(tail -n 1 last.csv | cut -d, -f4)
"${CC:-cc}" -std=gnu17 -I"$SRC/include" -o watchpoint "$SRC/examples/watchpoint.c" \
	-L"$BUILD" -Wl,-rpath,"$BUILD" -l:libwaymark.so.1
./watchpoint run.wmk "$address" >found
check "the example finds the same instruction" \
	grep -q "^thread 0: instruction $(tail -n 1 last.csv | cut -d, -f1), sw " found

# ---- a program of the host, with shared libraries, at addresses that the loader chose ----------
if [ "$(uname -m)" = x86_64 ]; then
	"${CC:-cc}" -O1 -g -fno-builtin -fno-inline -o host "$SRC/tests/cli/mem/guest.c"
	"$WAYMARK" record --qemu "${QEMU%riscv64}x86_64" --mem -o host.wmk -- ./host
	"$WAYMARK" mem host.wmk --watch counter --function bump --format csv -f kind,object |
		sort | uniq -c >host.counted
	check "x86-64: every store to the counter" grep -q ' 1000 store,counter$' host.counted
	"$WAYMARK" mem host.wmk --by object --format csv -f object >host.objects
	check "x86-64: frames of functions" grep -q '^frames of main$' host.objects

	# One instruction, two accesses: of an object, and of the stack.
	cat >twice.c <<'END'
unsigned long saved, counts[512];
static void none(void)
{
}
void (*pointer)(void) = none;

int main(void)
{
	for (int i = 0; i < 500; i++) {
		counts[i] += saved;
		__asm__ volatile("sub $128, %%rsp; push saved(%%rip); pop saved(%%rip)\n"
				 "addq $1, (%0); call *pointer(%%rip); add $128, %%rsp"
				 : : "r"(&counts[i]) : "memory");
	}
	return 0;
}
END
	"${CC:-cc}" -O1 -fno-tree-vectorize -static -o twice twice.c
	"$WAYMARK" record --qemu "${QEMU%riscv64}x86_64" --mem -o twice.wmk -- ./twice
	"$WAYMARK" mem twice.wmk --by object --function main --format csv \
		-f object,loads,stores,constant,strided,irregular >objects
	check "x86-64: a pointer that is called" grep -q '^pointer,500,0,498,0,2$' objects
	check "x86-64: what is pushed and popped" grep -q '^saved,[0-9]*,500,' objects
	check "x86-64: added to" grep -q '^counts,1000,1000,0,1992,8$' objects
fi

# ---- ARM: lists of registers, whose base has no brackets ---------------------------------------
cat >lists.S <<'END'
	.arm
	.globl main, lists
	.type lists, %function
lists:	vpush {d0, d1}
	mov r1, #7
	stmdb sp!, {r0, r1, lr}
	stm sp, {r1, r2}
	ldmib sp, {r1, r2}
	ldmia sp!, {r0, r1, lr}
	vpop {d0, d1}
	bx lr
	.size lists, . - lists
	.type main, %function
main:	push {r4, lr}
	bl lists
	mov r0, #0
	pop {r4, pc}
	.size main, . - main
	.section .note.GNU-stack, "", %progbits
END
arm-linux-gnueabihf-gcc -static -o lists lists.S
"$WAYMARK" record --qemu "${QEMU%riscv64}arm" --mem -o lists.wmk -- ./lists
"$WAYMARK" mem lists.wmk --by object --function lists --format csv -f object,loads,stores >objects
check "ARM: lists are of the stack" sh -c '[ "$(sed 1d objects)" = "frames of lists,7,7" ]'

# ---- several threads: the last writer of all -------------------------------------------------
"$WAYMARK" record --qemu "$QEMU" --mem -o threads.wmk -- "$GUESTS/threads/names.O3" >out
"$WAYMARK" insns threads.wmk --values --interleave --format jsonl >order.jsonl 2>remark
"$PYTHON" "$SRC/tests/cli/mem/writer.py" "$WAYMARK" threads.wmk order.jsonl
misused "a thread that is not there" "*no thread \"9\"*" \
	"$WAYMARK" mem threads.wmk --last-writer 0x10@9:5
misused "no place" "*no place comes after the @*" "$WAYMARK" mem threads.wmk --last-writer 0x10@
misused "no place of a thread" "*no place comes after the @*" \
	"$WAYMARK" mem threads.wmk --last-writer 0x10@1:
misused "an instruction of no thread" "*@THREAD:5*" "$WAYMARK" mem threads.wmk --last-writer 0x10@5
misused "an instruction that is not there" "thread 1 has * instructions*" \
	"$WAYMARK" mem threads.wmk --last-writer 0x10@1:99999999

# ---- only some are recorded -----------------------------------------------------------------
"$WAYMARK" record --qemu "$QEMU" --mem=stores -o stores.wmk -- ./guest
"$WAYMARK" mem stores.wmk --format csv -f insn,address,size,kind,value >stores.csv
"$PYTHON" -c 'import csv
stores = [dict(row, value="") for row in csv.DictReader(open("list.csv")) if row["kind"] == "store"]
found = list(csv.DictReader(open("stores.csv")))
same = [(r["kind"], r["size"], r["value"]) for r in found] == [(r["kind"], r["size"], "") for r in stores]
print("ok" if same and len(found) > 2000 else "not ok", "stores alone, without data")'
for command in "mem --reuse" "mem --working-set" "mem --format din" "cache --by level" "cache"; do
	# shellcheck disable=SC2086
	"$WAYMARK" $command stores.wmk -n 5 >out 2>remark
	check "$command: no loads" grep -q 'only stores were recorded' remark
done
"$WAYMARK" mem run.wmk --reuse >out 2>remark
check "with all of them no remark" [ ! -s remark ]

"$WAYMARK" mem threads.wmk --format din -n 9 >out 2>remark
check "a format of one thread of several: a remark" grep -q 'of . threads only thread 0 is listed' remark
"$WAYMARK" mem threads.wmk --format din -n 9 --thread 1 >out 2>remark
check "of the one thread none" [ ! -s remark ]

# ---- nothing to print -------------------------------------------------------------------------
# The first instruction of main() alone, which accesses nothing.
first=$("$WAYMARK" insns run.wmk --from main -n 1 --no-events | awk '{ print $1 }')
"$WAYMARK" mem run.wmk --from "$first" --to "$((first + 1))" --function main >out 2>remark
check "a function that ran and accessed nothing" \
	grep -q 'no function "main" accessed memory here' remark
"$WAYMARK" mem run.wmk --watch 0x3 --function main >out 2>remark
check "and not what is watched" grep -q 'no function "main" accessed what is watched' remark
"$WAYMARK" cache run.wmk --by object --function nobody >out 2>remark
check "objects of no function" grep -q 'no function "nobody" accessed memory here' remark

# ---- as text, sorted --------------------------------------------------------------------------
cat >many.c <<'END'
volatile int cells[16];
int main(void)
{
	for (int i = 0; i < 12000; i++)
		cells[i % 16] = i;
	return 0;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o many many.c
"$WAYMARK" record --qemu "$QEMU" --mem -o many.wmk -- ./many
"$WAYMARK" mem many.wmk -s address >out 2>remark
check "the first 10,000 of more" [ "$(wc -l <out)" -eq 10001 ]
check "and the rest is not silent" grep -q 'these are the first 10000' remark
"$WAYMARK" mem many.wmk -s address --format csv | sed -n 9990,10001p >csv
"$WAYMARK" mem many.wmk -s address --format csv -n 10000 | sed -n '9990,$p' >few
check "few of many are the first of all" cmp csv few
finish
