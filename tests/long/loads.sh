#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A Linux machine under load, on one hart and on four: every instruction against the witness,
# what its processes map against their own /proc/PID/maps, and a static program against its
# recording in user mode.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"

qemu=${1-$("$SRC/tools/setup-qemu.sh" --system --packaged)}
root=$("$SRC/tests/sysroot.sh" machine)
libraries=$("$SRC/tests/sysroot.sh")
lib=$libraries/usr/lib/riscv64-linux-gnu
machine=$SRC/tests/guests/machine
"$SRC/tests/witness/build.sh" ./witness.so "$qemu" harts
"${CC:-cc}" -O2 -I"$SRC/include" -I"$SRC/tests/witness" -o compare \
	"$SRC/tests/witness/harts-compare.c" -L"$BUILD" -lwaymark -Wl,-rpath,"$BUILD"
kernel=$(echo "$root"/boot/vmlinux-*)
xz -dc "$root"/usr/lib/modules/*/kernel/drivers/net/dummy.ko.xz >dummy.ko
cp "$GUESTS/qsort.O3" static
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" "$machine/init-loads" initrd.gz \
	lib/dummy.ko=dummy.ko bin/static=static \
	lib/maps.lua="$machine/maps.lua" bin/lua5.4="$libraries/usr/bin/lua5.4" \
	lib/libc.so.6="$lib/libc.so.6" lib/libm.so.6="$lib/libm.so.6" \
	lib/libreadline.so.8="$lib/libreadline.so.8" lib/libtinfo.so.6="$lib/libtinfo.so.6" \
	lib/ld-linux-riscv64-lp64d.so.1="$lib/ld-linux-riscv64-lp64d.so.1"
# In user mode. What the C library does at its start depends on what the kernel tells it.
"$WAYMARK" record -o user.wmk ./static >/dev/null
"$WAYMARK" hot -f function,insns --format csv user.wmk | sort >in_user
export WAYMARK_CACHE="$PWD/cache"

for harts in 1 4; do
	"$WAYMARK" record --system --kernel "$kernel" -o $harts.wmk -- \
		"$qemu" -M virt -m 512 -smp $harts -kernel "$kernel" -initrd initrd.gz \
		-bios "$root/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin" \
		-append "console=ttyS0 panic=-1 quiet" -no-reboot \
		-display none -serial file:console \
		-plugin "$PWD/witness.so,out=$PWD/seen" </dev/null
	check "$harts: it ran to its end" grep -q '^END' console
	check "$harts: every instruction" ./compare $harts.wmk seen
	check "$harts: the trace is sound" "$WAYMARK" verify $harts.wmk

	# "START FILE" of what can be executed: as the process read it, and as the trace has it. Where
	# data came to lie over the end of a file that was mapped as a whole is not in the trace.
	sed -n 's/^MAP \([^ -]*\)[^ ]* *\(.*\)/\1 \2/p' console | tr -d '\r' |
		sed 's, .*/, ,' | sort >maps
	"$WAYMARK" info $harts.wmk >info.txt
	lua=$(awk '$NF == "/bin/lua5.4" && !found { found = 1; print $1 }' info.txt)
	awk -v space="$lua" '{
		for (i = 2; i <= NF; i++)
			if ($(i - 1) == space && $i ~ /^0x.*-0x/)
				print $i, $NF
	}' info.txt | sed 's/^0x\([0-9a-f]*\)-[^ ]*/\1/' | sort >mapped
	same "$harts: mappings are those of /proc/PID/maps" maps mapped

	"$WAYMARK" hot --mode user --process static -f function,insns --format csv \
		$harts.wmk >in_machine 2>err
	"$WAYMARK" events --process static --only page_fault $harts.wmk >faults 2>err
	riscv64-linux-gnu-nm -S static >symbols
	check "$harts: a program's own part is that of user mode" "$PYTHON" - <<-'END'
		import csv, re
		rows = lambda file: dict(line for line in csv.reader(open(file)) if len(line) == 2)
		user, machine = rows("in_user"), rows("in_machine")
		# An instruction whose data are not there begins again behind the fault.
		faults = [int(at, 16) for at in re.findall(
		    r"page fault \((?:load|store)\) at (0x[0-9a-f]+),.*user to kernel", open("faults").read())]
		for line in open("symbols"):
		    words = line.split()
		    if len(words) == 4 and words[3] in ("main", "by_key", "by_value"):
		        start, end = int(words[0], 16), int(words[0], 16) + int(words[1], 16)
		        again = sum(start <= at < end for at in faults)
		        assert int(user[words[3]]) + again == int(machine[words[3]]), (words[3], again)
	END
	check "$harts: a module is loaded three times" \
		test "$(grep -c '\[dummy\]$' info.txt)" -eq 6
done
finish
