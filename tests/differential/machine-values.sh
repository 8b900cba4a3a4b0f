#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The accesses to memory of machines, against the witness in the same run, hart by hart: by which
# instruction, where, of how many bytes, and which data. Whole boots: tests/long/machine-values.sh.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"
exec 3>&1
qemu=$(setting_up machine-values "$SRC/tools/setup-qemu.sh" --system --packaged --target riscv64) || exit 0
root=$(setting_up machine-values "$SRC/tests/sysroot.sh" machine) || exit 0

machine=$SRC/tests/guests/machine
board="-M virt -bios none"
"$SRC/tests/witness/build.sh" ./witness.so "$qemu" harts
"${CC:-cc}" -O2 -I"$SRC/include" -I"$SRC/tests/witness" -o compare \
	"$SRC/tests/witness/harts-compare.c" -L"$BUILD" -lwaymark -Wl,-rpath,"$BUILD"
"$machine/build.sh" accesses 1 accesses
"$machine/build.sh" bare1 1
"$machine/build.sh" bare2 2

# same NAME GUEST OPTIONS SEEN WORD...: what is recorded with these options is what the witness
# sees with its.
same() {
	name=$1 guest=$2 options=$3 seen=$4
	shift 4
	# shellcheck disable=SC2086 # words
	"$WAYMARK" record --system --kernel "$guest" $options -o run.wmk -- "$qemu" $board \
		-m 64 -kernel "$guest" -display none -serial null \
		-plugin "$PWD/witness.so,out=$PWD/seen,$seen" "$@" </dev/null 2>err
	check "$name: the trace is sound" "$WAYMARK" verify run.wmk
	check "$name: every access" ./compare run.wmk seen
}

# accesses WORD...: how many there are of what the words select.
accesses() {
	"$WAYMARK" mem --by function --format csv "$@" run.wmk 2>>err | "$PYTHON" -c '
import csv, sys
print(sum(int(row["accesses"]) for row in csv.DictReader(sys.stdin)))'
}

same "loads and stores, data" accesses --mem-values values=all,data=on
# By the code, not by any plugin: name, loads, stores, in the order of the names.
"$WAYMARK" mem --by function --format csv run.wmk 2>warnings | "$PYTHON" -c '
import csv, sys
for row in sorted(csv.DictReader(sys.stdin), key=lambda row: row["function"]):
    print(row["function"], row["loads"], row["stores"])' >functions
cat >expected <<-END
	[anonymous] 2 0
	alone 250 0
	atomic 500 500
	clearing 0 16000
	faulting 250 750
	middle 750 750
	page_end 500 250
	round 0 1
END
check "none is missing, and none counted twice" cmp functions expected
check "nor said to be missing" test ! -s warnings
"$WAYMARK" mem --last-writer crossed+4092 --format csv run.wmk >writer
check "the last writer of a word" grep -q ',0x8000[0-9a-f]*,8,store,0x0*,faulting,' writer

same "faults, devices, code at two addresses" bare1 --mem-values values=all,data=on
same "two harts at the same time" bare2 --mem-values values=all,data=on -smp 2
check "harts have all of them together" \
	test $(($(accesses --hart 0) + $(accesses --hart 1))) -eq "$(accesses)"
same "loads of harts in turns" bare2 --mem=loads values=loads,turns=on -smp 2 \
	-accel tcg,thread=single
"$machine/build.sh" hostcalls 1 hostcalls
same "calls of QEMU" hostcalls --commits values=all,data=on,writes=on -semihosting
same "stores, counted" bare1 --mem=stores values=stores -icount shift=0

# address_of SYMBOL [GUEST]: in the guest.
address_of() { echo "0x$(riscv64-linux-gnu-nm "${2-bare1}" | sed -n "s/ t $1$//p")"; }
devices=$(address_of devices)
same "a window" bare1 "--mem-values --window on_trap@100..devices" \
	"values=all,data=on,from=$(address_of on_trap)@100,to=$devices@1"
same "code with devices" bare1 "--mem --only devices" \
	"values=all,only=$devices@$(($(address_of atomics) - devices))"

# newest LAST: what --last keeps of each stream is the end of what its hart accessed there, with
# paging (another process, as no Linux tells) or without.
newest() {
	# shellcheck disable=SC2086 # words
	"$WAYMARK" record --system --kernel bare2 --mem-values --last "$1" -o run.wmk -- \
		"$qemu" $board -m 64 -kernel bare2 -smp 2 -display none -serial null \
		-plugin "$PWD/witness.so,out=$PWD/seen,accesses=$PWD/all,values=all,data=on" \
		</dev/null 2>err
	check "the last $1: the trace is sound" "$WAYMARK" verify run.wmk
	"$WAYMARK" info --format json run.wmk >info.json
	"$WAYMARK" mem --format csv run.wmk >kept.csv
	check "the last $1: they are the end of all" "$PYTHON" - <<-'END'
		import collections, csv, json
		every, kept = (collections.defaultdict(list) for _ in range(2))
		for line in open("all"):
		    hart, paged, pc, kind, address, size, data = line.split()
		    every[int(hart), int(paged)].append(
		        (int(pc, 16), kind, int(address, 16), int(size), int(data, 16)))
		of = {str(t["index"]): (t["vcpu"], int(t["process"] > 0))
		      for t in json.load(open("info.json"))["threads"]}
		assert len(set(of.values())) == len(of)
		for row in csv.DictReader(open("kept.csv")):
		    kept[of[row["thread"]]].append(
		        (int(row["pc"], 16), row["kind"][0].upper(), int(row["address"], 16),
		         int(row["size"]), int(row["value"], 16)))
		assert kept
		for stream, accesses in kept.items():
		    assert accesses == every[stream][-len(accesses):], stream
	END
}
newest 60k-insns
# Traps are events, which fill such small chunks.
newest 20k

# Of two addresses of one function one is wanted, in turns with accesses to memory.
twice=0x$(printf %x $(($(address_of twice bare2) + 0x40000000)))
same "values at places" bare2 \
	"--mem --value on_trap:t5,sp,mem(sp-8,8) --value $twice:s1,ra,ft0 --value devices+22:a1,mem(a1+5,1)" \
	"values=all,at=$(address_of on_trap bare2)@t5.sp.sp-8:8,at=$twice@s1.ra.ft0,at=0x$(
		printf %x $(($(address_of devices bare2) + 22)))@a1.a1+5:1" -smp 2

# What functions return, also where a fault interrupted them.
own=$(address_of twice bare2)
returning=ret=$own,ret=$(address_of devices bare2)
same "what functions return" bare2 "--value twice:a0,ret --value devices:ret" \
	"at=$own@a0,$returning" -smp 2
check "what functions return: none is missing" test "$("$WAYMARK" mem --registers --format csv \
	run.wmk | grep -c ',returned,"*twice:')" -eq 600
same "what they return on harts in turns, among accesses" bare2 \
	"--mem --value twice:ret --value devices:ret" "values=all,$returning,turns=on" -smp 2 \
	-accel tcg,thread=single
same "what they return in a window" bare1 "--value twice:ret --window insn:3000..insn:290001" \
	"ret=$(address_of twice),from=insn@3000,to=insn@290001"

# What is of no program: QEMU lists it by name.
same "CSRs" bare2 \
	"--value on_trap:mcause,mepc,mstatus,mhartid,mtvec,mem(mepc,2) --value $twice:satp,sstatus,scause,mie" \
	"at=$(address_of on_trap bare2)@mcause.mepc.mstatus.mhartid.mtvec.mepc+0:2,at=$twice@satp.sstatus.scause.mie" -smp 2
for thread in 0 1 2; do
	"$WAYMARK" insns --thread $thread --values run.wmk
done >csrs
for value in 'mcause = 0x0*5,' 'mhartid = 0x0*1,' 'satp = 0x8000'; do
	check "one is $value" grep -q "register $value" csrs
done

same "registers that are written" accesses --commits values=all,data=on,writes=on
"$WAYMARK" mem --format commits run.wmk >log
check "a commit log has all instructions" test "$(grep -c '^core   0: ' log)" -eq \
	"$("$WAYMARK" info --format json run.wmk |
		"$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["instructions"])')"
same "of two harts, with exceptions and atomic operations" bare2 --commits \
	values=all,data=on,writes=on -smp 2
"$WAYMARK" mem --format commits run.wmk | cut -d " " -f 5 >modes
"$WAYMARK" mem --format riscvdv run.wmk | cut -d , -f 6 | sed 1d >got
check "the privilege is that of the machine" grep -q 3 modes
check "riscv-dv has those of the commits" cmp modes got
same "in a window, of harts in turns" bare2 \
	"--commits --window insn:3000..insn:60001" \
	"values=all,data=on,writes=on,turns=on,from=insn@3000,to=insn@60001" -smp 2 \
	-accel tcg,thread=single

# ---- threads -------------------------------------------------------------------------------

# The part of a boot in which the first of Linux's threads begin.
part=from=insn@110000000,to=insn@130000000
kernel=$(echo "$root"/boot/vmlinux-*)
firmware=$root/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin

# boots OPTIONS SEEN: records that part of it.
boots() {
	# shellcheck disable=SC2086 # words
	"$WAYMARK" record --system --kernel "$kernel" $1 --then exit \
		--window insn:110000000..insn:130000000 -o run.wmk "$qemu" -M virt -m 256 \
		-bios "$firmware" -kernel "$kernel" -append "cryptomgr.notests quiet" \
		-display none -serial null -plugin "$PWD/witness.so,out=$PWD/seen,$part,$2" \
		</dev/null >out 2>&1
}

boots --mem-values values=all,data=on
check "Linux: the trace is sound" "$WAYMARK" verify run.wmk
check "Linux: every access" ./compare run.wmk seen
"$WAYMARK" info run.wmk >info.txt
check "its threads have switched" grep -q '^machine  *1 hart, .* threads, .* switches$' info.txt
check "modes have all of them together" \
	test $(($(accesses --mode firmware) + $(accesses --mode kernel))) -eq "$(accesses)"
check "a list has those of its mode alone" test "$("$WAYMARK" mem --mode firmware \
	--format csv run.wmk 2>>err | wc -l)" -eq $(($(accesses --mode firmware) + 1))
"$WAYMARK" cache --mode firmware --format csv run.wmk >cache.csv 2>>err
check "a cache's misses have the firmware's file" grep -q ',fw_dynamic.elf$' cache.csv

# What the kernel's functions return to threads that have waited in them.
options= seen=
for function in schedule kernel_clone; do
	options="$options --value $function:ret"
	seen=$seen,ret=$("$WAYMARK" insns --from "$function@1" -n 1 --format csv \
		run.wmk 2>>err | sed -n 's/.*,\(0xffffffff[0-9a-f]*\),.*/\1/p')
done
boots "$options" "${seen#,}"
check "Linux, what functions return: the trace is sound" "$WAYMARK" verify run.wmk
check "Linux: all that functions return" ./compare run.wmk seen
check "more than ten threads have returned" test "$("$WAYMARK" mem --registers \
	--format csv -f thread run.wmk | sort -u | wc -l)" -gt 10

# ---- values of other machines --------------------------------------------------------

# at FUNCTION DISTANCE: an address of it where memory is a second time.
at() { echo "0x$(printf %x $(($(address_of "$1" "$arch") + $2)))"; }
# read_times REGISTER: how often it was read.
read_times() { "$WAYMARK" mem --registers --format csv -f register run.wmk | grep -cx "$1"; }

arch=aarch64
if qemu=$(setting_up "values of $arch" "$SRC/tools/setup-qemu.sh" --system --packaged \
	--target $arch); then
	board="-M virt,gic-version=2 -nic none -cpu max,pauth-impdef=on"
	for harts in 1 2; do
		"$machine/build.sh" $arch $harts $arch
		twice=$(at twice 0x40000000)
		user=$(at at_user 0x80000000)
		seen=at=$(address_of on_trap $arch)@x26.x4:8
		seen="$seen,at=$twice@sp.x30.z3.fpsr.cpsr&0xf0000000,at=$user@sp.x23.x23+4:4"
		seen=$seen,ret=$(address_of twice $arch)
		same "$arch: values at places, $harts" $arch \
			"--mem --value on_trap:x26,mem(x4,8) --value $twice:sp,lr,v3,fpsr,nzcv
			--value $user:sp,x23,mem(x23+4,4) --value twice:ret" \
			"values=all,$seen" -smp $harts
		check "$arch: none is missing, $harts" test "$(read_times v3)" -eq $((600 * harts))
		same "$arch: registers that are written, $harts" $arch --commits \
			values=all,data=on,writes=on -smp $harts
	done
	"$machine/build.sh" hostcalls-$arch 1 hostcalls-$arch
	same "$arch: calls of QEMU" hostcalls-$arch --commits values=all,data=on,writes=on -semihosting
fi
arch=x86_64
if qemu=$(setting_up "values of $arch" "$SRC/tools/setup-qemu.sh" --system --packaged \
	--target $arch); then
	share=${qemu%/bin/*}/root/usr/share
	board="-M q35 -no-reboot -nic none -L $share/qemu -L $share/seabios"
	for harts in 1 2; do
		"$machine/build.sh" $arch $harts $arch
		twice=$(at twice 0x40000000)
		long=$(address_of enter_long $arch)
		seen=at=$(address_of on_plain $arch)@r15.rsp+0:8,at=$twice@rsp.xmm3.st0.mxcsr
		seen=$seen,at=$long@rax,at=0x8000@rax.rsp+0:8,ret=$(address_of twice $arch)
		# From behind the firmware on. The second hart begins at 0x8000, in real mode.
		same "$arch: values at places, $harts" $arch \
			"--mem --window enter_long.. --value on_plain:r15,mem(rsp,8)
			--value $twice:rsp,xmm3,st0,mxcsr --value enter_long:rax
			--value 0x8000:rax,mem(rsp,8) --value twice:ret" \
			"values=all,from=$long@1,$seen" -smp $harts
		check "$arch: none is missing, $harts" test "$(read_times xmm3)" -eq $((1200 * harts))
		same "$arch: registers that are written, $harts" $arch \
			"--commits --window enter_long.." \
			"values=all,data=on,writes=on,from=$long@1" -smp $harts
	done
fi
finish
