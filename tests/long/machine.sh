#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: tests/long/machine.sh [QEMU]
#
# Whole machines: every instruction of every hart against the witness in the same run
# (tests/witness/harts.c), of a bare-metal guest and of Linux from its firmware on.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"

qemu=${1-$("$SRC/tools/setup-qemu.sh" --system --target riscv64 10.2)}
root=$("$SRC/tests/sysroot.sh" machine)
machine=$SRC/tests/guests/machine
"$SRC/tests/witness/build.sh" ./witness.so "$qemu" harts
"${CC:-cc}" -O2 -I"$SRC/include" -I"$SRC/tests/witness" -o compare \
	"$SRC/tests/witness/harts-compare.c" -L"$BUILD" -lwaymark -Wl,-rpath,"$BUILD"
kernel=$(echo "$root"/boot/vmlinux-*)
firmware=$root/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" "$machine/init" initrd.gz
for harts in 1 2 4; do
	"$machine/build.sh" bare$harts $harts
done

# recorded WORD...: QEMU's options; the guest's console is in ./console.
recorded() {
	"$WAYMARK" record --system -o run.wmk "$@" -display none -serial file:console \
		-plugin "$PWD/witness.so,out=$PWD/seen$witness_args" </dev/null
}
witness_args=

# equal NAME [killed]: all harts have what the witness saw, and the trace is sound.
equal() {
	check "$1: the trace is complete" "$WAYMARK" verify run.wmk
	check "$1: every instruction" ./compare run.wmk seen ${2+"$2"}
}

# bare NAME HARTS WORD...
bare() {
	name=$1 harts=$2
	shift 2
	recorded --kernel "bare$harts" -- "$qemu" -M virt -m 64 -bios none \
		-kernel "bare$harts" -smp "$harts" "$@"
	equal "$name"
}

# boots WORD...: Linux, to its end.
boots() {
	recorded --kernel "$kernel" -- "$qemu" -M virt -m 512 -bios "$firmware" \
		-kernel "$kernel" \
		-initrd initrd.gz -append "console=ttyS0 panic=-1" -no-reboot "$@"
}

# ---- without an operating system ---------------------------------------------------

bare "one hart" 1
"$WAYMARK" info run.wmk >info.txt
check "info shows the hart, with and without paging" test "$(grep -c 'hart 0$' info.txt)" -eq 2
check "and its page table" grep -q 'table 0x8000' info.txt
"$WAYMARK" hot --format csv run.wmk >hot.csv
recorded --kernel bare1 --kernel "$kernel" -- "$qemu" -M virt -m 64 -bios none -kernel bare1
"$WAYMARK" info run.wmk >info.txt
check "a Linux that does not run is no source of threads" grep -q '^not followed .*nokaslr' info.txt
for function in faults devices atomics patches ticks twice on_trap; do
	check "$function has its name" grep -q "\b$function\b" hot.csv
done
bare "-icount" 1 -icount shift=0
bare "one instruction a block" 1 -accel tcg,one-insn-per-tb=on
# How harts meet differs from run to run.
for round in 1 2 3 4 5 6 7 8; do
	bare "two harts, $round" 2
done
bare "four harts" 4
witness_args=,turns=on
bare "two harts, -icount" 2 -icount shift=0
bare "two harts, one thread" 2 -accel tcg,thread=single
bare "four harts, -icount" 4 -icount shift=auto
witness_args=

"$WAYMARK" record --system -o off.wmk "$qemu" -M virt -bios none -display none \
	-serial null </dev/null >out 2>&1 &
pid=$!
until_true "$WAYMARK" ctl $pid status
for wish in off on off; do
	until_true "$WAYMARK" ctl $pid status
	check "ctl $wish" "$WAYMARK" ctl $pid $wish
done
kill $pid
wait $pid || true
until_true "$WAYMARK" verify off.wmk

"$WAYMARK" record --system --kernel bare1 -o traps.wmk -- "$qemu" -M virt -m 64 -bios none \
	-kernel bare1 -display none -d int -D int </dev/null
check "an event for each trap" test \
	"$("$WAYMARK" events --only trap --format csv traps.wmk | grep -c ',trap,')" -eq \
	"$(grep -c ^riscv_cpu_do_interrupt int)"

"$WAYMARK" events traps.wmk >events
check "with its cause" grep -q 'exception: illegal instruction at' events
check "and one for each return" test "$(grep -c 'trap: ' events)" -le \
	"$(grep -c 'trap_return: ' events)"
"$WAYMARK" calls -t traps.wmk >tree
check "a handler is called by what it interrupts" \
	grep -q ' on_trap();  /\* access fault (load) \*/' tree
check "and is no tail call" test "$(grep -c 'on_trap().*tail call' tree)" -eq 0

# ---- Linux ---------------------------------------------------------------------------

boots
check "it boots" grep -q '^processor' console
equal "a boot on one hart"
"$WAYMARK" hot --format csv run.wmk >hot.csv
for function in start_kernel handle_exception schedule; do
	check "$function has its name from the Image" grep -q "\b$function\b" hot.csv
done
boots -smp 2
equal "a boot on two harts"
boots -icount shift=auto
equal "a boot with -icount"
address=$("$WAYMARK" insns --from handle_exception --format csv -n 1 run.wmk |
	sed -n '2s/.*\(0x[0-9a-f]*\),handle_exception,.*/\1/p')

for signal in KILL INT TERM; do
	rm -f console
	"$WAYMARK" record --system -o run.wmk "$qemu" -M virt -m 512 -smp 2 \
		-bios "$firmware" -kernel "$kernel" -append console=ttyS0 -display none \
		-serial file:console -plugin "$PWD/witness.so,out=$PWD/seen" \
		</dev/null >out 2>&1 &
	pid=$! # the command becomes QEMU
	until_true grep -q 'Linux version' console
	kill -$signal $pid
	wait $pid || true
	until_true "$WAYMARK" verify run.wmk
	if [ $signal = KILL ]; then equal "SIGKILL" killed; else equal "SIG$signal"; fi
done
rm -f console
{
	until_true grep -q 'Linux version' console
	echo quit
} | "$WAYMARK" record --system -o run.wmk "$qemu" -M virt -m 512 -bios "$firmware" \
	-kernel "$kernel" -append console=ttyS0 -display none -serial file:console \
	-monitor stdio -plugin "$PWD/witness.so,out=$PWD/seen" >out
equal "the monitor's quit"

# resets NAME HARTS WORD...: QEMU resets a machine in its middle, and quits.
resets() {
	name=$1 harts=$2
	shift 2
	rm -f console
	{
		until_true grep -aq 'Linux version' console
		echo system_reset
		until_true sh -c 'test "$(grep -ac "Linux version" console)" -eq 2'
		echo quit
	} | "$WAYMARK" record --system -o run.wmk "$qemu" -M virt -m 512 -smp "$harts" \
		-bios "$firmware" -kernel "$kernel" -append console=ttyS0 -display none \
		-serial file:console -monitor stdio \
		-plugin "$PWD/witness.so,out=$PWD/seen$witness_args" "$@" >out
	equal "$name"
}

# A snapshot is loaded twice, and once more at the start of another recording. The disk that it
# is in is an empty qcow2 file of version 2: header, table and block of counts, first table.
"$PYTHON" - disk <<-END
	import struct, sys
	image = bytearray(4 << 16)
	struct.pack_into(">4sIQIIQIIQQIIQ", image, 0, b"QFI\xfb", 2, 0, 0, 16, 1 << 30, 0, 2,
	                 3 << 16, 1 << 16, 1, 0, 0)
	struct.pack_into(">Q", image, 1 << 16, 2 << 16)
	struct.pack_into(">4H", image, 2 << 16, 1, 1, 1, 1)
	open(sys.argv[1], "wb").write(image)
END
snapshots() {
	name=$1
	shift
	"$WAYMARK" record --system -o run.wmk "$qemu" -M virt -m 128 -smp 2 -bios "$firmware" \
		-kernel "$kernel" -append console=ttyS0 -display none -serial file:console \
		-drive if=none,id=disk,file=disk,format=qcow2 -monitor stdio \
		-plugin "$PWD/witness.so,out=$PWD/seen" "$@" >out
	equal "$name"
}
rm -f console
{
	until_true grep -aq 'Linux version' console
	echo savevm here
	until_true grep -aq 'Memory:' console
	echo loadvm here
	sleep 2
	echo loadvm here
	sleep 2
	echo quit
} | snapshots "loadvm"
{
	sleep 4
	echo quit
} | snapshots "-loadvm" -loadvm here

# Parts of it. A system call begins where the program made it, and its window has the kernel's part.
part() {
	name=$1
	shift
	"$WAYMARK" record --system --kernel "$kernel" -o part.wmk "$@" -- "$qemu" -M virt -m 512 \
		-smp $harts \
		-bios "$firmware" -kernel "$kernel" -initrd initrd.gz \
		-append "console=ttyS0 panic=-1" -no-reboot -display none -serial file:console \
		-plugin "$PWD/witness.so,out=$PWD/seen$witness_args" </dev/null 2>err
	check "$name: the trace is sound" "$WAYMARK" verify part.wmk
}
harts=1
witness_args=",from=$address@2000,to=$address@4000"
part "a window of Linux" --window 'handle_exception@2000..handle_exception@4000'
check "a window of Linux: every instruction" ./compare part.wmk seen
witness_args=
part "from call to call" --start syscall:execve@2 --stop syscall:exit_group@3
"$WAYMARK" events --only syscall part.wmk >events
check "its first call" sh -c "sed -n 2p events | grep -q 'execve('"
check "its last call" sh -c "tail -n 1 events | grep -q 'exit_group('"
"$WAYMARK" hot --mode kernel part.wmk >hot
check "and what the kernel did" grep -q handle_exception hot
# Functions of programs, which the kernel has at addresses that are known of these.
"$machine/build-programs.sh" .
cat >init-work <<-'END'
	#!/bin/busybox sh
	/bin/one 3
	/bin/two 5
	/bin/one 4 &
	/bin/moved 6
	wait
	/bin/busybox poweroff -f
END
# shellcheck disable=SC2046 # words
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" init-work initrd.gz $(cat programs)
# range_of SYMBOL: its address and bytes, as the witness takes them.
range_of() { riscv64-linux-gnu-nm -S two | sed -n "s/^0*\([0-9a-f]*\) 0*\([0-9a-f]*\) T $1$/0x\1 0x\2/p"; }
# shellcheck disable=SC2046 # two words
set -- $(range_of other)
witness_args=",only=$1@$(($2))"
part "functions of programs" --only one:work --only two:other
check "functions of programs: every instruction" ./compare part.wmk seen
check "and no others" test "$("$WAYMARK" hot --format csv part.wmk | sed 's/.*,\([a-z]*,[a-z]*\)$/\1/' |
	sort | tr '\n' ' ')" = "function,module other,two work,one "
witness_args=",from=$1@5,to=$1@7"
part "a window of a program's function" --window two:other@2..two:other@4
check "a window of a program's function: every instruction" ./compare part.wmk seen
witness_args=
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" "$machine/init" initrd.gz

harts=2
part "one program" --only process:busybox
harts=1
"$WAYMARK" info --format json part.wmk >info.json
check "no other process has instructions" "$PYTHON" - <<-END
	import json
	info = json.load(open("info.json"))
	assert sum(t["instructions"] for t in info["threads"]) == info["instructions"] > 1000000
	for thread in info["threads"]:
	    assert thread["instructions"] == 0 or thread["name"] == "busybox", thread
END
part "the newest part" --last 3M
check "it is small" test "$(wc -c <part.wmk)" -le 3300000
run "$WAYMARK" hot --hart 0 part.wmk
check "and has no schedule" grep -q 'record --last keeps none' stderr

resets "a reset" 1
resets "a reset of two harts" 2
witness_args=,turns=on
resets "a reset of two harts in one thread" 2 -accel tcg,thread=single

# A program reboots the machine: what starts then is no part of it.
cat >init-reboot <<-'END'
	#!/bin/busybox sh
	echo "Reboot now"
	/bin/busybox reboot -f
END
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" init-reboot initrd.gz
rm -f console
{
	until_true sh -c 'test "$(grep -ac "Reboot now" console)" -eq 2'
	echo quit
} | "$WAYMARK" record --system -o run.wmk --kernel "$kernel" "$qemu" -M virt -m 512 -smp 2 \
	-bios "$firmware" -kernel "$kernel" -initrd initrd.gz -append console=ttyS0 \
	-display none -serial file:console -monitor stdio \
	-plugin "$PWD/witness.so,out=$PWD/seen" >out
equal "a reboot"
check "the kernel starts in an idle thread, both times" "$PYTHON" - <<-'END'
	import csv, io, os, subprocess
	def executions(*options):
	    command = [os.environ["WAYMARK"], "hot", "--function", "start_kernel", "--format", "csv", *options]
	    text = subprocess.run([*command, "run.wmk"], stdout=subprocess.PIPE, text=True).stdout
	    return sum(int(row["executions"]) for row in csv.DictReader(io.StringIO(text)))
	assert executions() == 2
	assert executions("--thread", "0") + executions("--thread", "1") == 2
END
"$WAYMARK" info run.wmk >info
check "each boot has a first process" test "$(grep -c ' 1  *-  start  .*/init$' info)" -eq 2
check "it starts in the mode of firmware" sh -c '"$WAYMARK" events --only mode run.wmk | grep -q "mode: firmware"'
finish
