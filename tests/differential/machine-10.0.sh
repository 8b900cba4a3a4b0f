#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Machines under QEMU 10.0, as Debian 13 builds it, which does not tell traps: every instruction and
# access against the witness in the same run. All of tests/long/machine.sh: machine-10.0.sh there.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"
qemu=$(setting_up machine-10.0 "$SRC/tools/setup-qemu.sh" --system --packaged \
	--target riscv64,aarch64 10.0) || exit 0
aarch64=$(echo "$qemu" | grep aarch64)
qemu=$(echo "$qemu" | grep riscv64)
root=$(setting_up machine-10.0 "$SRC/tests/sysroot.sh" machine) || exit 0

machine=$SRC/tests/guests/machine
"$SRC/tests/witness/build.sh" ./witness.so "$qemu" harts
"${CC:-cc}" -O2 -I"$SRC/include" -I"$SRC/tests/witness" -o compare \
	"$SRC/tests/witness/harts-compare.c" -L"$BUILD" -lwaymark -Wl,-rpath,"$BUILD"
for harts in 1 2; do
	"$machine/build.sh" bare$harts $harts
	"$machine/build.sh" aarch64-$harts $harts aarch64
done
board="-M virt -bios none"

# same NAME GUEST HARTS OPTIONS SEEN WORD...: what is recorded with these options is what the witness
# sees with its.
same() {
	name=$1 guest=$2 harts=$3 options=$4 seen=$5
	shift 5
	# shellcheck disable=SC2086 # words
	"$WAYMARK" record --system --kernel "$guest" $options -o run.wmk -- "$qemu" $board \
		-m 64 -kernel "$guest" -smp "$harts" -display none -serial null \
		-plugin "$PWD/witness.so,out=$PWD/seen,$seen" "$@" </dev/null 2>err
	check "$name: the trace is sound" "$WAYMARK" verify run.wmk
	check "$name: all of it" ./compare run.wmk seen
}

same "exceptions, devices, interrupts" bare1 1 --mem-values values=all,data=on -d int -D int
check "an event for each trap" test \
	"$("$WAYMARK" events --only trap --format csv run.wmk | grep -c ',trap,')" -eq \
	"$(grep -c ^riscv_cpu_do_interrupt int)"
same "counted" bare1 1 --mem=stores values=stores -icount shift=0
same "two harts" bare2 2 --commits values=all,data=on,writes=on
same "harts in turns" bare2 2 --mem values=all,turns=on -accel tcg,thread=single

# Code that is replaced where it ran: by a device, address spaces, large pages, resets.
"$machine/build.sh" replaced 2 replaced
replaced() {
	how=$1
	shift
	same "replaced code, $how" replaced 2 "$@" -device virtio-blk-device,drive=disk \
		-drive file=replaced-code,if=none,format=raw,id=disk,readonly=on \
		-global virtio-mmio.force-legacy=false
	# The witness sees addresses, which the versions of the code share.
	"$WAYMARK" insns --interleave run.wmk |
		sed -n 's/.*addi *a0,a0,\([1-5]00\)$/\1/p' | sort | uniq -c >versions
	printf '%7d %d\n' 288 100 288 200 198 300 198 400 108 500 >expected
	check "replaced code, $how: each version as often as it was called" cmp versions expected
}
replaced "two harts" --commits values=all,data=on,writes=on
replaced "in turns" --mem values=all,turns=on -accel tcg,thread=single
replaced "counted, in turns" --mem=loads values=loads,turns=on -icount shift=0

# Harts with other registers than hart 0 has.
"$machine/build.sh" unlike 2 unlike
board="-M sifive_u -bios none -no-reboot"
same "harts that differ" unlike 2 --commits values=all,data=on
"$WAYMARK" events --only trap run.wmk >traps
for cause in "access fault (load)" "illegal instruction" "ecall from M"; do
	check "harts that differ: $cause" test \
		"$(grep -c "$cause at .*, firmware to firmware" traps)" -eq 400
done
check "harts that differ: floating point" test \
	"$("$WAYMARK" mem --registers --hart 1 run.wmk | grep -cw fa2)" -eq 200
board="-M virt -bios none"
refused "harts of 32 bits" 'hart 0 has 32 bits: *' \
	"$WAYMARK" record --system -o none.wmk "$qemu" -cpu rv32 -M virt -bios none \
	-display none -serial null
address_of() { echo "0x$(riscv64-linux-gnu-nm bare1 | sed -n "s/ t $1$//p")"; }

# watched NAME GUEST SYMBOL OPTIONS SEEN: a debugger stops the machine at accesses to the symbol's bytes.
watched() {
	rm -f gdb
	"$PYTHON" "$SRC/tests/differential/watches.py" gdb "$("$1-linux-gnu-nm" "$2" |
		sed -n "s/ b $3$//p")" 20 &
	same "$1: a debugger's watchpoints" "$2" 1 "$4" "$5" -S -gdb chardev:gdb \
		-chardev socket,path=gdb,server=on,wait=off,id=gdb
	check "$1: the debugger has stopped it" wait $!
}
watched riscv64 bare1 shared --commits values=all,data=on,writes=on
same "a window" bare1 1 "--window on_trap@100..devices" \
	"from=$(address_of on_trap)@100,to=$(address_of devices)@1"

# Linux, with the first of its threads.
kernel=$(echo "$root"/boot/vmlinux-*)
"$WAYMARK" record --system --kernel "$kernel" --then exit --window insn:1..insn:130000000 \
	-o run.wmk "$qemu" -M virt -m 256 -kernel "$kernel" \
	-bios "$root/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin" \
	-append "cryptomgr.notests quiet" -display none -serial null \
	-plugin "$PWD/witness.so,out=$PWD/seen,from=insn@1,to=insn@130000000" </dev/null >out 2>&1
check "Linux: the trace is sound" "$WAYMARK" verify run.wmk
check "Linux: every instruction" ./compare run.wmk seen
"$WAYMARK" info run.wmk >info.txt
check "its threads have switched" grep -q '^machine  *1 hart, .* threads, .* switches$' info.txt

# AArch64 has 16 vectors for each level.
qemu=$aarch64
refused "harts of 32 bits, aarch64" 'hart 0 has 32 bits: *' \
	"$WAYMARK" record --system -o none.wmk "$qemu" -cpu cortex-a15 -M virt -nic none \
	-display none -serial null
board="-M virt,gic-version=2 -nic none -cpu max,pauth-impdef=on"
for harts in 1 2; do
	same "aarch64, $harts harts" aarch64-$harts $harts --commits values=all,data=on,writes=on
done
watched aarch64 aarch64-1 shared --mem values=all
same "aarch64, counted" aarch64-1 1 --mem-values values=all,data=on -icount shift=0
finish
