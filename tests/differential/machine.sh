#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A machine that boots Linux, on one hart and on two: every instruction against the witness in
# the same run, and what is known of it. The QEMU is Debian's own, unpacked. tests/long/machine.sh
# and threads.sh have many more machines.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"
exec 3>&1
qemu=$(setting_up machine "$SRC/tools/setup-qemu.sh" --system --packaged --target riscv64) || exit 0
root=$(setting_up machine "$SRC/tests/sysroot.sh" machine) || exit 0

machine=$SRC/tests/guests/machine
"$SRC/tests/witness/build.sh" ./witness.so "$qemu" harts
"${CC:-cc}" -O2 -I"$SRC/include" -I"$SRC/tests/witness" -o compare \
	"$SRC/tests/witness/harts-compare.c" -L"$BUILD" -lwaymark -Wl,-rpath,"$BUILD"
kernel=$(echo "$root"/boot/vmlinux-*)
firmware=$root/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin
xz -dc "$root"/usr/lib/modules/*/kernel/drivers/net/dummy.ko.xz >dummy.ko
"$machine/build-programs.sh" .
# shellcheck disable=SC2046 # words
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" "$machine/init-modules" initrd.gz \
	lib/dummy.ko=dummy.ko $(cat programs)

# What takes most of a boot, and is not what is tested: ciphers that test themselves.
arguments="console=ttyS0 panic=-1 quiet cryptomgr.notests"
arguments="$arguments initcall_blacklist=jent_mod_init,load_system_certificate_list"

# The programs on a disk with a partition, from 1 MiB on. Without it they are in the initrd.
mkdir -p disk/bin disk/lib
cp "$root/usr/bin/busybox" disk/bin/
sed 's/\(.*\)=\(.*\)/\2 disk\/\1/' programs | xargs -n 2 cp
/usr/sbin/mke2fs -q -t ext4 -d disk ext4 16M 2>/dev/null
"$PYTHON" - <<-'END'
	head = bytearray(1 << 20)
	head[446:462] = bytes.fromhex("00000000830000000008000000800000")
	head[510:512] = b"\x55\xaa"
	open("disk.img", "wb").write(head + open("ext4", "rb").read())
END
export WAYMARK_CACHE="$PWD/cache"

# boots FILE HARTS WORD...: QEMU's options behind those of record and "--".
boots() {
	file=$1 harts=$2
	shift 2
	"$WAYMARK" record --system --kernel "$kernel" -o "$file" "$@" -M virt -m 256 \
		-smp "$harts" -bios "$firmware" -kernel "$kernel" -initrd initrd.gz \
		-append "$arguments" -no-reboot -display none -serial file:console </dev/null
}

run "$WAYMARK" record --system -o own.wmk --max-insns 300k --then exit -- "$qemu" -M virt -m 64 \
	-display none -serial null
"$WAYMARK" hot --format csv -f function,module own.wmk >hot.csv 2>err
check "firmware that QEMU takes by itself has its file" grep -q ',fw_dynamic.elf$' hot.csv

printf '#!/bin/sh\necho "QEMU emulator version 10.2.2"\n' >qemu-system-x86_64
chmod +x qemu-system-x86_64
refused "an Image of another machine" '--kernel: */vmlinux-* is for riscv64, and the machine is x86_64' \
	"$WAYMARK" record --system --kernel "$kernel" ./qemu-system-x86_64
run "$WAYMARK" record --system -o no.wmk "$qemu" -M virt -display none -kernel nothing
check "a machine that QEMU does not start" test $status -eq 2 -a ! -e no.wmk \
	-a "$(tail -n 1 stderr)" = "waymark: the machine did not run, so nothing was recorded"

for harts in 1 2; do
	sysroot="--sysroot disk.img"
	[ $harts -eq 1 ] || sysroot=
	# shellcheck disable=SC2086 # two words, or none
	boots $harts.wmk $harts $sysroot -- "$qemu" -plugin "$PWD/witness.so,out=$PWD/seen"
	check "$harts: it boots" grep -q '^END' console
	check "$harts: every instruction" ./compare $harts.wmk seen
	check "$harts: the trace is sound" "$WAYMARK" verify $harts.wmk
	"$WAYMARK" info $harts.wmk >info.txt
	check "$harts: threads have their names" grep -q ' kthreadd$' info.txt
	check "$harts: processes are what they became" \
		grep -q 'exec .*exit 0 .*/bin/busybox' info.txt
	"$WAYMARK" hot --mode user --format csv $harts.wmk >hot.csv 2>err
	check "$harts: there is no other hart" sh -c \
		'! "$WAYMARK" hot --hart 2 "$1.wmk" 2>other && grep -q "$2" other' - $harts \
		"there is no hart 2: $([ $harts -eq 1 ] && echo the only one is 0 || echo they are 0 to 1)"
	check "$harts: programs have names" grep -q ',sub_[0-9a-f]*,busybox$' hot.csv
	check "$harts: the vDSO's functions have names" \
		grep -q ',__vdso_clock_gettime,\[vdso\]$' hot.csv
	check "$harts: no file is missing" test ! -s err
	"$WAYMARK" info --format json $harts.wmk >info.json
	"$WAYMARK" hot --format csv $harts.wmk >hot.csv 2>err
	check "$harts: all of it is of a named thread, and nearly all has names" \
		"$PYTHON" - <<-'END'
			import csv, json
			info = json.load(open("info.json"))
			threads = [t for t in info["threads"] if t["instructions"]]
			assert sum(t["instructions"] for t in threads) == info["instructions"]
			assert all(t["name"] and not t["name"].startswith("hart") for t in threads)
			rows = list(csv.DictReader(open("hot.csv")))
			unnamed = sum(int(r["insns"]) for r in rows if r["module"] == "[anonymous]")
			assert unnamed * 100 < info["instructions"], unnamed
		END
	"$WAYMARK" hot --mode firmware --format csv $harts.wmk >hot.csv 2>err
	check "$harts: firmware has its file" test "$(sed -n '2s/.*,//p' hot.csv)" = fw_dynamic.elf
done
# A program mapped other code where it had some (tests/guests/machine/remap.c).
sed -n 's/^REMAP \(.*\) \/bin\//\1 /p' console | tr -d '\r' >guest
"$WAYMARK" info 2.wmk | sed -n 's/.* \(0x2000000000-[^ ]*\) .* \([^ ]*\)$/\1 \2/p' >mapped
check "a guest maps three files at one place" test "$(wc -l <guest)" -eq 3
same "what is mapped is what the guest says" mapped guest
"$WAYMARK" hot --process remap --mode user --format csv -f insns,function,module 2.wmk 2>err |
	grep -E ',(first|second)\.so$|anonymous' >hot.csv || true
check "and names are those of what is there now" test "$(sort hot.csv | tr '\n' ' ')" = \
	"10002,[anonymous], 33004,first,first.so 6002,second,second.so "
check "two harts took turns" grep -q '^machine  *2 harts, .* switches$' info.txt

# A module is loaded twice: it has its names wherever it lies.
"$WAYMARK" hot --format csv 2.wmk >hot.csv
for function in dummy_init_module dummy_xmit dummy_dev_init; do
	check "$function has its name" grep -q ",$function,.*\[dummy\]" hot.csv
done
"$WAYMARK" calls --tree --mode kernel --syscall finit_module 2.wmk >tree 2>err
check "what loads a module calls it" grep -q 'dummy_init_module() {' tree
check "code of a BPF program has the kernel's name for it" \
	grep -q ',100,bpf_prog_[0-9a-f]*_filtering,\[bpf\]$' hot.csv
# Interrupts have the names of their devices: the guest's console has one.
"$WAYMARK" events --only irq 2.wmk >irqs 2>err
check "interrupts of devices are events" grep -q 'irq: [0-9]*: ttyS0$' irqs
# It may interrupt any thread.
"$WAYMARK" calls --tree --mode kernel --filter handle_irq_event 2.wmk >tree 2>err
check "their handlers are told apart in call trees" \
	grep -q ' handle_irq_event() {  /\* IRQ [0-9]*: ttyS0 \*/' tree
"$WAYMARK" report -o page.html 2.wmk 2>err
check "a report has both harts" "$PYTHON" - <<-'END'
	import json, re
	text = re.search(r'id="data">(.*?)</script>', open("page.html").read(), re.S)[1]
	machine = json.loads(text)["machine"]
	names = [name for name, ns in machine["series"]]
	assert len(machine["harts"]) == 2 and {"idle", "no process", "busybox"} <= set(names), names
	for hart in machine["harts"]:
	    assert hart["switches"] > 50 and len(hart["rate"]) == 480
	    assert all(len(shades) == 480 for shades in hart["shares"])
	assert sum(ns for name, ns in machine["series"]) <= 2 * machine["ns"]
END

# The steps of the boot are those that the command lists.
"$WAYMARK" boot --format csv 2.wmk >boot.csv
check "a report has the boot" "$PYTHON" - <<-'END'
	import csv, json, re
	text = re.search(r'id="data">(.*?)</script>', open("page.html").read(), re.S)[1]
	data = json.loads(text)
	rows = list(csv.DictReader(open("boot.csv")))
	last, boot = rows.pop(), data["boot"]
	assert (last["kind"], last["function"]) == ("program", boot["program"])
	assert abs(boot["program_ns"] / 1e6 - float(last["start_ms"])) < .01
	assert len(boot["steps"]) == 400 and len(rows) == 400 + boot["others"]
	listed = [(row["kind"], row["function"], int(row["insns"])) for row in rows]
	shown = [(kind, data["names"][name - 1][0], insns) for _, _, insns, kind, name, _ in boot["steps"]]
	assert {"start", "init", "initcall"} <= {kind for kind, _, _ in shown}
	at = iter(listed)
	assert all(step in at for step in shown)
	shortest = min(ns for _, ns, *_ in boot["steps"]) / 1e6
	assert sum(float(row["ms"]) > shortest + .01 for row in rows) <= 400
	assert abs(sum(float(row["ms"]) for row in rows) -
	           sum(ns for _, ns, *_ in boot["steps"]) / 1e6 - boot["others_ns"] / 1e6) < 1 + len(rows) * .01
END

# ---- names of what a machine maps and loads ------------------------------------------

# What is recorded of functions of programs, of a library, of a module and of a BPF program is what
# all of a boot has of them. Other functions have the same names, and the same addresses.
boots names.wmk 1 --only one:work --only one:main --only moved:rest \
	--only libc.so.6:__sched_yield --only dummy:dummy_init_module --only 'bpf:*_filtering' \
	--except dummy:dummy_setup --value one:work:a0,ret -- "$qemu" 2>err
check "names that no kernel has are no mistake" grep -q '^END' console
check "names: the trace is sound" "$WAYMARK" verify names.wmk
for file in 2 names; do
	"$WAYMARK" hot --no-inline --format csv \
		-f insns,executions,function,module $file.wmk 2>err |
		grep -E ',((work|main),one|rest,moved|__sched_yield,libc.so.6|dummy_init_module,\[dummy\]|bpf_prog_[0-9a-f]*_filtering,\[bpf\])$' |
		sort >$file.functions
done
check "all six have run" test "$(wc -l <names.functions)" -eq 6
same "as often as in a whole boot" names.functions 2.functions
check "and nothing else is recorded" test "$(sum=0
	while IFS=, read -r insns rest; do sum=$((sum + insns)); done <names.functions
	echo $sum)" -eq "$("$WAYMARK" info --format json names.wmk |
	"$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["instructions"])')"
# work(): 34 times the round, 33 times the next, and the one behind it, are added to the sum.
check "what a program's function is called with and returns" test "$("$WAYMARK" mem --registers \
	--format csv -f kind,value names.wmk 2>err | sed 's/0x0*//' | tr '\n' ' ')" = \
	"kind,value register, returned,63 register,1 returned,12a "

# ---- a part of a machine ------------------------------------------------------------

"$machine/build.sh" bare 1

# address_of SYMBOL: in the guest.
address_of() { echo "0x$(riscv64-linux-gnu-nm bare | sed -n "s/ t $1$//p")"; }

# part NAME OPTIONS SEEN: what is recorded with these words is what the witness sees with its.
part() {
	# shellcheck disable=SC2086 # words
	"$WAYMARK" record --system --kernel bare $2 -o part.wmk -- "$qemu" -M virt -m 64 \
		-bios none -kernel bare -display none -serial null \
		-plugin "$PWD/witness.so,out=$PWD/seen,$3" </dev/null 2>err
	check "$1: the trace is sound" "$WAYMARK" verify part.wmk
	check "$1: every instruction" ./compare part.wmk seen
}
part "a window" "--window on_trap@100..devices" \
	"from=$(address_of on_trap)@100,to=$(address_of devices)@1"
"$WAYMARK" events --only mode,trap,trap_return part.wmk >events
check "the mode is told where recording begins" \
	test "$(sed -n '2s/.*  //p' events)" = "mode: firmware"
part "a window of counts" "--window insn:1000..insn:300001" "from=insn@1000,to=insn@300001"
# What cover says of all of it, and of its kernel alone: the witness has a list.
part "all of it" "" "list=list"
"$WAYMARK" cover --by function --format csv part.wmk >all.csv
"$WAYMARK" cover --kernel --by function --format csv part.wmk >kernel.csv
check "coverage of a kernel is what the witness saw in its mode" "$PYTHON" \
	"$SRC/tests/differential/machine_cover.py" all.csv kernel.csv list bare \
	riscv64-linux-gnu-objdump
other=$(printf 0x%x $(($(address_of twice) + 0x40000000)))
part "code at one of its addresses" \
	"--only address:$other..$(printf 0x%x $((other + 20)))" "only=$other@20"
check "and at no other" test "$("$WAYMARK" info --format json part.wmk |
	"$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["instructions"])')" -gt 4000
"$machine/build.sh" stuck 2
rm -f seen
"$WAYMARK" record --system --kernel stuck -o stuck.wmk -- "$qemu" -M virt -m 64 -bios none \
	-kernel stuck -display none -serial null -plugin "$PWD/witness.so,out=$PWD/seen" \
	</dev/null >out 2>&1 &
pid=$! # the command becomes QEMU; its only hart waits for another one, for ever
until_true sh -c '"$0" ctl "$1" status | grep -q "[0-9],[0-9][0-9][0-9],[0-9][0-9][0-9]"' \
	"$WAYMARK" $pid
# Its page table is a process.
until_true sh -c '"$0" ctl "$1" status | grep -q "^  *1 .* table 0x"' "$WAYMARK" $pid
passed "what runs is asked for"
kill -KILL $pid
wait $pid || true
until_true "$WAYMARK" verify stuck.wmk
check "a guest that hangs is recorded up to its end" ./compare stuck.wmk seen killed

part "the machine ends with its recording" "--stop devices --then exit" \
	"to=$(address_of devices)@1"
# A machine that runs: code of its programs has no names in top.
printf '#!/bin/busybox sh\nwhile :; do /bin/busybox true; done\n' >init-busy
"$PYTHON" "$machine/initrd.py" "$root/usr/bin/busybox" init-busy initrd.gz
boots busy.wmk 1 -- "$qemu" >out 2>&1 &
until_true "$WAYMARK" ctl busy.wmk status
programs_run() { "$WAYMARK" top --batch -n 2 -d 0.2 busy.wmk >frames && grep -q '\[programs\]$' frames; }
check "top: code of programs" until_true programs_run
pid=$("$WAYMARK" ctl busy.wmk status | sed -n 's/^ *0 *\([0-9]*\)  machine$/\1/p')
kill "$pid"
wait || true

finish
