#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Other versions of Linux than machine.sh has: 5.10 of x86_64 (Debian 11, a bzImage in xz), and the
# newest of riscv64 (Debian sid). Every instruction against the witness, every switch against the
# guest's own trace.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"

machine=$SRC/tests/guests/machine
for program in harts-compare switches; do
	"${CC:-cc}" -O2 -I"$SRC/include" -I"$SRC/tests/witness" -o "$program" \
		"$SRC/tests/witness/$program.c" -L"$BUILD" -lwaymark -Wl,-rpath,"$BUILD"
done

# boots NAME SYSROOT QEMU WORD...: with $kernel.
boots() {
	name=$1 root=$2 qemu=$3
	shift 3
	"$SRC/tests/witness/build.sh" ./witness.so "$qemu" harts
	"$PYTHON" "$machine/initrd.py" "$root/bin/busybox" "$machine/init-switches" initrd.gz
	rm -f seen
	# Without the ciphers that test themselves, which take most of a boot.
	"$WAYMARK" record --system --kernel "$kernel" -o run.wmk -- "$qemu" "$@" -m 512 \
		-kernel "$kernel" -initrd initrd.gz -no-reboot -display none \
		-append "console=ttyS0 panic=-1 quiet nokaslr cryptomgr.notests" \
		-serial file:console -plugin "$PWD/witness.so,out=$PWD/seen" </dev/null 2>err
	check "$name: nothing is missing" test ! -s err
	check "$name: it boots" grep -q '^END' console
	check "$name: the trace is complete" "$WAYMARK" verify run.wmk
	check "$name: every instruction" ./harts-compare run.wmk seen
	grep '^@' console | tr -d '\r' >guest
	check "$name: the guest has traced its switches" test "$(wc -l <guest)" -gt 50
	check "$name: the trace has them" ./switches run.wmk <guest
	"$WAYMARK" info run.wmk >info.txt
	for thread in swapper/0 kthreadd busybox; do
		check "$name: a thread is $thread" grep -q " $thread\$" info.txt
	done
	# Some builds of busybox rename themselves (prctl), so the guest is asked.
	comm=$(sed -n 's/^COMM //p' console | tr -d '\r')
	check "$name: thread 1 is $comm, as in the guest" \
		awk -v name="$comm" '$5 == 1 && NF == 8 && $8 == name { found = 1 } END { exit !found }' info.txt
	"$WAYMARK" events --only thread_name run.wmk >names.txt
	check "$name: it was init first" grep -q ' thread 1 on vcpu [0-9]*: init$' names.txt
	check "$name: processes are what they became" \
		grep -q 'exec .*exit 0 .*/bin/busybox' info.txt
	check "$name: what they map is known" grep -q '/bin/busybox$' info.txt
	check "$name: the vdso has its name" grep -q '\[vdso\]' info.txt
	"$WAYMARK" hot --format csv run.wmk >hot.csv 2>err
	for function in start_kernel __schedule vfs_write; do
		check "$name: $function has its name" grep -q "\b$function\b" hot.csv
	done
}

root=$("$SRC/tests/sysroot.sh" machine-new)
kernel=$(echo "$root"/usr/lib/modules/*/vmlinuz)
boots "the newest of riscv64" "$root" \
	"$("$SRC/tools/setup-qemu.sh" --system --target riscv64 10.2)" -M virt -smp 2 \
	-bios "$root/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin"

# Firmware comes with Debian's package.
packaged=$("$SRC/tools/setup-qemu.sh" --system --packaged --target x86_64 11.1)
share=${packaged%/bin/*}/root/usr/share
root=$("$SRC/tests/sysroot.sh" machine-old)
kernel=$(echo "$root"/boot/vmlinuz-5.10*)
boots "5.10 of x86_64" "$root" "$("$SRC/tools/setup-qemu.sh" --system --target x86_64 10.2)" \
	-M q35 -nic none -L "$share/qemu" -L "$share/seabios"
finish
