#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel as one that is taught with (tests/guests/machine/teach.c): page tables and user mode
# without Linux. Streams are harts, each table is a space, and names are those of its ELF file; every
# instruction against the witness in the same run, and every trap against QEMU's log. Then all ways to
# turn to a table and back (tables.S).

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"

if ! qemu=$("$SRC/tools/setup-qemu.sh" --system --packaged --target riscv64 2>setup); then
	echo "ok teaching # SKIP $(tail -n 1 setup)"
	exit 0
fi
machine=$SRC/tests/guests/machine
"$SRC/tests/witness/build.sh" ./witness.so "$qemu" harts
"${CC:-cc}" -O2 -I"$SRC/include" -I"$SRC/tests/witness" -o compare \
	"$SRC/tests/witness/harts-compare.c" -L"$BUILD" -lwaymark -Wl,-rpath,"$BUILD"
"$machine/teach.sh" ./teach

# runs NAME OPTIONS SEEN WORD...: with words for record, for the witness and for QEMU.
runs() {
	name=$1 options=$2 seen=$3
	shift 3
	# shellcheck disable=SC2086 # words, or none
	"$WAYMARK" record --system --kernel teach $options -o run.wmk -- "$qemu" -M virt -m 64 \
		-bios none -kernel teach -display none -serial file:console "$@" \
		-plugin "$PWD/witness.so,out=$PWD/seen$seen" </dev/null 2>err
	check "$name: it runs to its end" test "$(tr -d a <console | wc -c)" -eq 20
	check "$name: the trace is sound" "$WAYMARK" verify run.wmk
	check "$name: every instruction" ./compare run.wmk seen
}

# With a clock of instructions its timer comes as often in each run.
runs "a teaching kernel" "" "" -icount shift=4 -d int -D int
check "tasks take turns" grep -q 'abababab' console
"$WAYMARK" info run.wmk >info.txt
check "each table is a space" test "$(grep -c ' table 0x8000' info.txt)" -ge 2
run "$WAYMARK" boot run.wmk
check "boot says that no Linux starts" grep -q 'no start of a Linux was seen' stderr
check "and lists nothing" test "$(wc -l <stdout)" -eq 1
check "threads are harts" test "$(grep -c ' hart 0$' info.txt)" -eq 3
"$WAYMARK" events --only trap --format csv run.wmk >traps
check "an event for each trap" test "$(grep -c ',trap,' traps)" -eq "$(grep -c ^riscv_cpu_do int)"
"$WAYMARK" events --only trap run.wmk >traps
for trap in 'exception: system call at 0x4.*, user to kernel, handler' \
	'exception: illegal instruction at 0x4.*, user to kernel' \
	'interrupt: timer.* at 0x4.*, user to kernel'; do
	check "trap: $trap" grep -q "$trap" traps
done
# functions MODE: names in it.
functions() { "$WAYMARK" hot --mode "$1" --format csv -f function run.wmk | tail -n +2 | sort | tr '\n' ' '; }
check "the tasks are user mode" test "$(functions user)" = "call task_main task_work "
functions kernel >kernel
for function in on_exception on_call on_timer schedule; do
	check "$function is kernel mode" grep -qw $function kernel
done
check "its start is firmware's mode, as is QEMU's ROM" \
	test "$(functions firmware)" = "[anonymous] _start "
for mode in firmware kernel user; do
	"$WAYMARK" hot --mode $mode --format csv -f insns run.wmk |
		awk -v mode=$mode '{ n += $1 } END { print mode "," n }'
done >wanted
"$WAYMARK" sql --format csv run.wmk "SELECT mode, sum(insns) FROM modes GROUP BY mode" |
	tail -n +2 | tr -d '\r' >got
same "SQL has the same instructions of each mode" wanted got
"$WAYMARK" calls --tree --mode kernel run.wmk >tree
check "the kernel calls what it is made of" grep -q 'schedule()' tree

runs "as fast as it can" "" ""
# Modes are known by addresses: user mode at 0x40000000, firmware before `supervisor` and in
# QEMU's ROM. Each thread of the hart has its own.
runs "with accesses to memory" --mem-values ",values=all,data=on" -icount shift=4
for thread in 0 1 2; do
	"$WAYMARK" mem --format commits --thread $thread run.wmk
done | awk '{ print $3, substr($4, 1, 18) }' | LC_ALL=C sort | uniq -c >privileges
supervisor=0x$(riscv64-linux-gnu-nm teach | sed -n 's/ t supervisor$//p')
check "a commit log has each instruction's privilege" awk -v supervisor="$supervisor" '
	{ mode = $3 < "0x0000000040000000" || $3 >= "0x0000000080000000" && $3 < supervisor ? 3 : 1 }
	$3 ~ /^0x000000004/ { mode = 0 }
	mode != $2 { print "not " mode ":", $0; bad = 1 }
	{ seen[mode] += $1 }
	END { exit bad || !(seen[0] > seen[1] && seen[1] > seen[3] && seen[3] > 20) }' privileges
"$WAYMARK" mem --format commits --thread 2 --from 900000 --to 901000 run.wmk >late
"$WAYMARK" mem --format commits --thread 2 run.wmk | sed -n '900001,901000p' >all
check "from a later instruction, too" cmp late all
"$WAYMARK" record --system --kernel teach --mem-values --events=-trap -o run.wmk -- "$qemu" \
	-M virt -m 64 -bios none -kernel teach -display none -serial null -icount shift=4 \
	</dev/null 2>err
refused "privileges without traps" '*run.wmk: the privilege needs events *without: trap' \
	"$WAYMARK" mem --format commits run.wmk
address=0x$(riscv64-linux-gnu-nm teach | sed -n 's/ t task_work$//p')
runs "from turn to turn" "--window task_work@5..task_work@9" ",from=$address@5,to=$address@9" \
	-icount shift=4

"$machine/build.sh" tables 1 tables
"$WAYMARK" record --system --kernel tables -o run.wmk -- "$qemu" -M virt -m 64 -bios none \
	-kernel tables -display none -serial null -plugin "$PWD/witness.so,out=$PWD/seen" \
	</dev/null 2>err
check "tables: every instruction" ./compare run.wmk seen
# under THREAD: what ran under its table, but for the beginning and what turns. Code at the address that
# the tables have differently is in no file.
under() {
	"$WAYMARK" hot --thread "$1" --format csv -f insns,function run.wmk |
		grep -v '_start\|map\|supervisor' | tail -n +2 | sort | tr '\n' ' '
}
check "tables: what runs without one" test "$(under 0)" = \
	"202,off_cleared 202,off_constant 202,off_mode_cleared 202,off_read 6,[anonymous] "
check "tables: what runs under the first one" test "$(under 1)" = \
	"150,[anonymous] 202,on_mode_set 202,on_set 202,on_written "
check "tables: what the second one has at the same address" test "$(under 2)" = "250,[anonymous] "
finish
