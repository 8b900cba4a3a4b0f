#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: tests/long/machine-values.sh
#
# The accesses to memory of whole machines, against the witness in the same run: boots of Linux,
# and guests without an operating system, of all machines that are recorded.

export SRC
# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

machine=$SRC/tests/guests/machine
"${CC:-cc}" -O2 -I"$SRC/include" -I"$SRC/tests/witness" -o compare \
	"$SRC/tests/witness/harts-compare.c" -L"$BUILD" -lwaymark -Wl,-rpath,"$BUILD"

# of ARCH BOARD...: the QEMU, and what all of its machines are started with.
of() {
	arch=$1
	shift
	board=$*
	qemu=$("$SRC/tools/setup-qemu.sh" --system --target "$arch" 10.2)
	"$SRC/tests/witness/build.sh" ./witness.so "$qemu" harts
}

# same NAME OPTIONS SEEN WORD...: QEMU's words; its console is in ./console.
same() {
	name=$1 options=$2 seen=$3
	shift 3
	rm -f console
	# shellcheck disable=SC2086 # words
	"$WAYMARK" record --system $options -o run.wmk -- "$qemu" $board "$@" \
		-display none -serial file:console \
		-plugin "$PWD/witness.so,out=$PWD/seen,$seen" </dev/null
	check "$name: the trace is complete" "$WAYMARK" verify run.wmk
	check "$name: every access" ./compare run.wmk seen
}

# bare HARTS OPTIONS SEEN WORD...: the guest without an operating system.
bare() {
	[ -e "bare-$arch-$1" ] || "$machine/build.sh" "bare-$arch-$1" "$1" "$arch"
	harts=$1 options=$2 seen=$3
	shift 3
	same "$arch, $harts harts, $options $*" "$options" "$seen" -m 64 \
		-kernel "bare-$arch-$harts" -smp "$harts" "$@"
}

# boots KERNEL OPTIONS SEEN WORD...: Linux, to its end.
boots() {
	kernel=$1 options=$2 seen=$3
	shift 3
	same "$arch boots, $options $*" "--kernel $kernel $options" "$seen" -m 512 \
		-kernel "$kernel" -initrd "$arch.gz" -no-reboot "$@"
	check "$arch: it has come to its end" grep -q 'Power down\|^processor' console
}

all=values=all,data=on

of riscv64 -M virt -bios none
for round in 1 2 3 4; do
	bare 2 --mem-values $all
done
bare 4 --mem values=all
bare 2 --mem-values $all,turns=on -icount shift=0
bare 1 --mem=stores values=stores -accel tcg,one-insn-per-tb=on
root=$("$SRC/tests/sysroot.sh" machine)
board="-M virt -bios $root/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin"
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" "$machine/init" riscv64.gz
kernel=$(echo "$root"/boot/vmlinux-*)
boots "$kernel" --mem values=all -append "console=ttyS0 panic=-1"
boots "$kernel" --mem-values $all -append "console=ttyS0 panic=-1" -smp 2
boots "$kernel" --mem=loads values=loads -append "console=ttyS0 panic=-1" -icount shift=auto
# What functions of the kernel return to threads that wait in them, and go on on another hart. Where
# they are is what a value at their entry says.
at= returned= seen=
for function in schedule schedule_timeout kernel_clone vfs_write; do
	at="$at --value $function:a0"
	returned="$returned --value $function:ret"
done
# shellcheck disable=SC2086 # words
"$WAYMARK" record --system --kernel "$kernel" $at -o run.wmk -- "$qemu" $board -m 512 \
	-kernel "$kernel" -initrd riscv64.gz -no-reboot -append "console=ttyS0 panic=-1" \
	-display none -serial null </dev/null
for address in $("$WAYMARK" mem --registers --format csv -f pc run.wmk | sort -u | grep ^0x); do
	seen=$seen,ret=$address
done
boots "$kernel" "$returned" "${seen#,}" -append "console=ttyS0 panic=-1" -smp 2

for commits in "" "-smp 2"; do
	# shellcheck disable=SC2086 # words
	same "what $arch's Linux writes $commits" "--kernel $kernel --commits --then exit \
		--window insn:119000000..insn:119400000" \
		"$all,writes=on,from=insn@119000000,to=insn@119400000" -m 256 -kernel "$kernel" \
		-append "cryptomgr.notests quiet" $commits
done

of aarch64 -M virt,gic-version=2 -nic none -cpu max,pauth-impdef=on
for harts in 1 2 4; do
	bare $harts --mem-values $all
done
root=$("$SRC/tests/sysroot.sh" machine-aarch64)
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" "$machine/init" aarch64.gz
boots "$(echo "$root"/boot/vmlinuz-*)" --mem values=all \
	-append "console=ttyAMA0 panic=-1 nokaslr" -smp 2

packaged=$("$SRC/tools/setup-qemu.sh" --system --packaged --target x86_64 11.1)
share=${packaged%/bin/*}/root/usr/share
of x86_64 -M q35 -nic none -L "$share/qemu" -L "$share/seabios"
for harts in 1 2; do
	bare $harts --mem-values $all
done
root=$("$SRC/tests/sysroot.sh" machine-x86_64)
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" "$machine/init" x86_64.gz
boots "$(echo "$root"/boot/vmlinuz-*)" --mem values=all \
	-append "console=ttyS0 panic=-1 nokaslr"
finish
