#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole machines with Linux: streams are its threads, switched where the guest's own kernel
# says so, and the schedule gives back what each hart ran, equal to the witness.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"

qemu=$("$SRC/tools/setup-qemu.sh" --system --target riscv64 10.2)
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
	check "$harts: the vdso has its name" grep -q '\[vdso\]' info.txt
done

# Answers by mode, hart, process and system call: together they are all, and no more.
sum() {
	"$WAYMARK" hot --format csv -f insns "$@" run.wmk 2>/dev/null |
		awk 'NR > 1 { sum += $1 } END { printf "%.0f", sum }'
}
all=$(sum)
check "modes are parts of all" test "$all" -eq \
	$(($(sum --mode user) + $(sum --mode kernel) + $(sum --mode firmware)))
check "harts are parts of all" test "$all" -eq $(($(sum --hart 0) + $(sum --hart 1)))
check "a process is in user mode and in the kernel" test "$(sum --process busybox)" -gt \
	"$(sum --process busybox --mode user)"
"$WAYMARK" calls --mode kernel --format csv run.wmk >calls.csv 2>err
check "calls count what hot does" test "$(sum --mode kernel)" -eq \
	"$(awk -F, 'NR > 1 { sum += $2 } END { printf "%.0f", sum }' calls.csv)"
"$WAYMARK" calls --tree --mode kernel --syscall write run.wmk >tree 2>err
check "a call tree for each write()" grep -q 'handle_exception() {  /\* write \*/' tree
check "with what the kernel did" grep -q ' ksys_write() {' tree
check "and nothing else" test "$(grep -c 'handle_exception() {  /\* [a-z]* \*/' tree)" -eq \
	"$(grep -c 'handle_exception() {  /\* write \*/' tree)"
"$WAYMARK" events --only execve run.wmk >events 2>err
check "system calls of every process" grep -q 'execve("/bin/busybox"' events
check "page faults" test "$("$WAYMARK" events --only page_fault --format csv run.wmk |
	wc -l)" -gt 100
check "switches" test "$("$WAYMARK" events --only context_switch --format csv run.wmk |
	wc -l)" -gt 1000
"$WAYMARK" cover --kernel -b module --format csv run.wmk >cover.csv 2>err
check "coverage of the kernel" test "$(wc -l <cover.csv)" -eq 2
"$WAYMARK" boot --format csv run.wmk >boot.csv 2>err
check "initcalls of a boot" test "$(grep -c ',initcall,' boot.csv)" -gt 500
check "until init" grep -q ',program,/init' boot.csv
"$WAYMARK" info run.wmk >info.txt
check "harts and switches" grep -q '^machine  *2 harts, .* switches$' info.txt

boots -smp 2 -plugin "$PWD/witness.so,out=$PWD/seen"
check "each hart ran what the schedule says" ./harts-compare run.wmk seen
finish
