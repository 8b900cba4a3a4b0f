#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole machines with Linux: streams are its threads, switched where the guest's own kernel
# says so, and the schedule gives back what each hart ran, equal to the witness.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"

qemu=$("$SRC/tools/setup-qemu.sh" --system 10.2)
root=$("$SRC/tests/sysroot.sh" machine)
machine=$SRC/tests/guests/machine
"$SRC/tests/witness/build.sh" ./witness.so "$qemu" harts
for program in harts-compare switches; do
	"${CC:-cc}" -O2 -I"$SRC/include" -I"$SRC/tests/witness" -o "$program" \
		"$SRC/tests/witness/$program.c" -L"$BUILD" -lwaymark -Wl,-rpath,"$BUILD"
done
kernel=$(echo "$root"/boot/vmlinux-*)
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" "$machine/init-switches" initrd.gz

# boots WORD...
boots() {
	"$WAYMARK" record --system --kernel "$kernel" -o run.wmk -- "$qemu" -M virt -m 512 \
		-bios "$root/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin" \
		-kernel "$kernel" -initrd initrd.gz \
		-append "console=ttyS0 panic=-1 quiet" -no-reboot -display none \
		-serial file:console "$@" </dev/null
	grep '^@' console | tr -d '\r' >guest
}

for harts in 1 2; do
	rm -f seen
	boots -smp $harts
	check "$harts: the guest has traced its switches" test "$(wc -l <guest)" -gt 50
	check "$harts: the trace has them" ./switches run.wmk <guest
	check "$harts: the trace is complete" "$WAYMARK" verify run.wmk
	"$WAYMARK" info run.wmk >info.txt
	for name in swapper/0 kthreadd init busybox; do
		check "$harts: a thread is $name" grep -q " $name\$" info.txt
	done
	check "$harts: processes are what they became" \
		grep -q 'exec .*exit 0 .*/bin/busybox' info.txt
done
boots -smp 2 -plugin "$PWD/witness.so,out=$PWD/seen"
check "each hart ran what the schedule says" ./harts-compare run.wmk seen
finish
