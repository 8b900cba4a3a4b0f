#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Logs of other tools as traces: the path is the recording's, and commands answer alike.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -nostdlib -nostartfiles -Wl,--build-id \
	-o rounds "$SRC/tests/cli/diff/rounds.c"

# same_path NAME WORD...: diff finds the same instructions in both.
same_path() {
	what=$1
	shift
	run "$WAYMARK" diff "$@"
	check "$what: the path is the recording's" test "$status" -eq 0
}

# answers TRACE PART: all that commands say of the path. PART is "path"; "calls" adds calls,
# which in handlers depend on signals, which a record has not; "blocks" adds blocks, too, which
# depend on where signals and new code ended them.
answers() {
	for by in function line loop; do
		"$WAYMARK" hot --by $by --format csv "$1"
	done
	"$WAYMARK" cover --format csv "$1"
	"$WAYMARK" cover --format lcov "$1"
	"$WAYMARK" mix --format csv "$1"
	"$WAYMARK" cfg --format json "$1"
	"$WAYMARK" bpred --format csv "$1"
	"$WAYMARK" phases --format csv "$1"
	"$WAYMARK" insns --no-events --format csv "$1"
	[ "$2" != path ] || return 0
	"$WAYMARK" calls --format csv "$1"
	"$WAYMARK" calls --tree --format csv "$1"
	"$WAYMARK" export callgrind "$1" | grep -v '^cmd:'
	"$WAYMARK" export pprof "$1" | go tool pprof -raw /dev/stdin 2>/dev/null | grep -v '^Time:'
	[ "$2" = blocks ] || return 0
	"$WAYMARK" hot --by block --format csv "$1"
	"$WAYMARK" blocks --no-events --format csv "$1"
}

for guest in ./rounds "$GUESTS/qsort.O3" "$GUESTS/fault.O3" "$GUESTS/signal.O3" "$GUESTS/jit.O3"; do
	name=$(basename "$guest")
	case $name in
	fault.* | signal.*) part=path ;;
	jit.*) part=calls ;;
	*) part=blocks ;;
	esac
	# A log has no names of the vDSO, which is no file; without --no-pack the recording has them.
	"$WAYMARK" record --no-pack -o run.wmk "$guest" >/dev/null 2>&1 || true
	answers run.wmk $part >wanted 2>/dev/null || true
	for form in spike execlog qemu etrace ntrace; do
		case $name:$form in
		jit.*:*trace) continue ;; # packets have no code, which changes there
		*:*trace) "$WAYMARK" packets --format $form run.wmk >log 2>/dev/null ;;
		*) "$WAYMARK" insns --format $form run.wmk >log 2>/dev/null ;;
		esac
		code=
		case $form in *trace) code="--code run.wmk" ;; esac
		# shellcheck disable=SC2086 # none or two words
		run "$WAYMARK" import $form log --elf "$guest" $code -o imported.wmk
		check "$name from $form: status 0, and what it is" \
			grep -q '^waymark: imported.wmk: .* instructions, 1 thread, ' stderr
		same_path "$name from $form" run.wmk imported.wmk
		check "$name from $form: it is sound" "$WAYMARK" verify imported.wmk
		answers imported.wmk $part >got 2>/dev/null || true
		same "$name from $form: all answers" wanted got
	done
done

"$WAYMARK" record -o run.wmk ./rounds >/dev/null
"$QEMU" -d in_asm,exec,nochain -D qemu.log ./rounds
"$WAYMARK" import qemu qemu.log --elf rounds -o imported.wmk 2>/dev/null
same_path "QEMU's own log" run.wmk imported.wmk
"$WAYMARK" blocks --format pc run.wmk >wanted
"$WAYMARK" blocks --format pc imported.wmk >got
same "QEMU's own log: the blocks are the recording's" wanted got
check "QEMU's own log, verified against itself" \
	"$WAYMARK" verify imported.wmk --against qemu.log

"$WAYMARK" insns --format spike run.wmk >log
"$WAYMARK" import spike - --elf rounds@0x100000 <log 2>/dev/null
check "from standard input, to waymark.wmk" test -f waymark.wmk
"$WAYMARK" info --format json waymark.wmk >info
check "it says what it was made of" grep -q "Spike's log -" info
check "a file at another address" grep -q '"start": *"0x110' info

# ---- several CPUs ------------------------------------------------------------

"$WAYMARK" record -o threads.wmk "$GUESTS/threads/names.O3" >/dev/null
"$WAYMARK" insns --format execlog --interleave threads.wmk >log
"$WAYMARK" import execlog log --elf "$GUESTS/threads/names.O3" -o imported.wmk 2>/dev/null
same_path "the first thread of several" --thread 0 threads.wmk imported.wmk
"$WAYMARK" info --format json threads.wmk >wanted
"$WAYMARK" info --format json imported.wmk >got
check "all instructions of all CPUs" "$PYTHON" -c '
import json
wanted, got = json.load(open("wanted")), json.load(open("got"))
assert wanted["instructions"] == got["instructions"], (wanted, got)'

# ---- another instruction at the same address ---------------------------------

cat >changed.log <<'END'
core   0: 0x0000000080000000 (0x00150513) addi    a0, a0, 1
core   0: 0x0000000080000004 (0xffdff06f) j       pc - 0x4
core   0: 0x0000000080000000 (0x00250513) addi    a0, a0, 2
core   0: 0x0000000080000004 (0xffdff06f) j       pc - 0x4
core   0: 0x0000000080000000 (0x00150513) addi    a0, a0, 1
END
"$WAYMARK" import spike changed.log -o changed.wmk 2>/dev/null
"$WAYMARK" insns --format csv changed.wmk >got
check "code that changes" test "$(grep -c addi got)" -eq 3 -a "$(grep -c 'a0,a0,2' got)" -eq 1

# ---- files that are not what ran ----------------------------------------------

# A log has the code, so a file of other code is noticed, and one that fits is not.
"$WAYMARK" record -o run.wmk "$GUESTS/qsort.O3" >/dev/null
"$WAYMARK" insns --format spike -n 20000 run.wmk >log
run "$WAYMARK" import spike log --elf "$GUESTS/straight.O3" -o imported.wmk
check "another program's file" sh -c \
	'grep -q "^waymark: .*/straight.O3 has other code than the record: " stderr &&
		[ "$(wc -l <stderr)" -eq 2 ]'
run "$WAYMARK" import spike log --elf "$GUESTS/straight.O3@0x1000000" --elf "$GUESTS/qsort.O3" \
	-o imported.wmk
check "a file of which nothing ran, and the right one" sh -c \
	'grep -q "^waymark: no code of .*/straight.O3 ran .* FILE@ADDRESS$" stderr &&
		[ "$(wc -l <stderr)" -eq 2 ]'
run "$WAYMARK" import spike log --elf "$GUESTS/qsort.O3" -o imported.wmk
check "the right file: nothing is to be said" test "$(wc -l <stderr)" -eq 1
misused "an ISA that is none" 'there is no ISA "riscv128": take one of riscv64, *' \
	"$WAYMARK" import spike log --isa riscv128 -o none.wmk

# ---- another guest -----------------------------------------------------------

cat >other.log <<'END'
----------------
IN: _start
0x00400580:  d2800020  mov      x0, #1
0x00400584:  14000001  b        #0x400588

----------------
IN: _start
0x00400588:  d2800ba8  mov      x8, #0x5d
0x0040058c:  d4000001  svc      #0

Trace 0: 0x7f2a30000100 [0000000000000000/0000000000400580/00000051/ff200200] _start
Trace 0: 0x7f2a30000200 [0000000000000000/0000000000400588/00000051/ff200200] _start
END
# The beginning of a program of AArch64, with one segment, which is of code.
"$PYTHON" - >other.elf <<'END'
import struct, sys
head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
    "<HHIQQQIHHHHHH", 2, 183, 1, 0x400580, 64, 0, 0, 64, 56, 1, 64, 0, 0)
load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, 0x1000, 0x1000, 0x1000)
sys.stdout.buffer.write((head + load).ljust(0x1000, b"\0"))
END
run "$WAYMARK" import qemu other.log --elf other.elf -o other.wmk
"$WAYMARK" insns --format csv other.wmk >got 2>&1 || true
check "another guest: it is that of --elf" sh -c '
	"$WAYMARK" info other.wmk | grep -q "^guest  *aarch64$" &&
		[ "$(grep -c "^[0-3],0x4005[0-9a-f]*,.*,[0-9a-f]\{8\}," got)" -eq 4 ]'
refused "another guest's log, taken for one of RISC-V" '*cannot be of this guest; --isa or --elf says*' \
	"$WAYMARK" import qemu other.log -o none.wmk
echo '0, 0x400580, 0xd2800020, "mov x0, #1"' >list.log
refused "a list of another guest's instructions" 'of aarch64 only QEMU*log of*' \
	"$WAYMARK" import execlog list.log --elf other.elf -o none.wmk
refused "the same, taken for RISC-V's" '*d2800020, that RISC-V has not; of other guests*' \
	"$WAYMARK" import execlog list.log -o none.wmk

# Words that RISC-V could have, all of them; in the first list at addresses that it has not.
printf '0, 0x%s, 0x%s, "%s"\n' 401000 55 "pushq %rbp" 401001 e5894803 "addq -0x77(%rax), %rcx" >list.log
refused "a list of x86 by its addresses" '*at 0x401001, e5894803, that RISC-V has not*' \
	"$WAYMARK" import execlog list.log -o none.wmk
printf '0x0040100e:  %s\n' 'b8 00 00 00 00           movl     $0, %eax' >list.log
refused "a list of x86 by its bytes" '*instructions in several numbers*of other guests*' \
	"$WAYMARK" import qemu list.log -o none.wmk
printf '0x00401010:  %s\n' '55  pushq    %rbp' >list.log
refused "the same of one byte" '*instructions in several numbers*' \
	"$WAYMARK" import qemu list.log -o none.wmk
printf '0x00401010:  %s\n' 'f04f 0b00  mov.w    fp, #0' >list.log
refused "a list of ARM by its bytes" '*instructions in several numbers*' \
	"$WAYMARK" import qemu list.log -o none.wmk

# ---- what has no end -----------------------------------------------------------

# As a pipe, such packets are tried before all of them are read.
"$WAYMARK" record -o run.wmk "$GUESTS/qsort.O3" >/dev/null
for form in etrace ntrace; do
	"$WAYMARK" packets --format $form --resync 1 run.wmk >log 2>/dev/null
	check "$form: more than is tried" test "$(wc -c <log)" -gt 1048576
	cat log | "$WAYMARK" import $form - --elf "$GUESTS/qsort.O3" -o imported.wmk 2>/dev/null
	same_path "$form from a pipe" run.wmk imported.wmk
	refused "$form: zeros without end" '/dev/zero: *' timeout "$GUARD" \
		"$WAYMARK" import $form /dev/zero --elf rounds -o none.wmk
	refused "$form: noise without end" '/dev/urandom: *' timeout "$GUARD" \
		"$WAYMARK" import $form /dev/urandom --elf rounds -o none.wmk
	# shellcheck disable=SC2016 # the inner shell's
	refused "$form: lines without end" '-: *' sh -c \
		'yes | timeout "$GUARD" "$WAYMARK" import $1 - --elf rounds -o none.wmk' - $form
done
for form in spike execlog qemu; do
	# shellcheck disable=SC2016 # the inner shell's
	refused "$form: lines without end" '*64 MiB*' sh -c \
		'yes | timeout "$GUARD" "$WAYMARK" import $1 - -o none.wmk' - $form
done

# Bytes that could be of either instruction set of ARM: the log says which one ran.
arm=${QEMU%riscv64}arm
arm-linux-gnueabihf-gcc -mthumb -O2 -static -o thumb "$SRC/tests/guests/mutual.c"
run "$WAYMARK" record --qemu "$arm" --qemu-arg=-d --qemu-arg=in_asm,exec,nochain \
	--qemu-arg=-D --qemu-arg=thumb.log -o thumb.wmk ./thumb
run "$WAYMARK" import qemu thumb.log --elf thumb -o thumb2.wmk
for trace in thumb thumb2; do
	"$WAYMARK" insns $trace.wmk --no-events --format csv >$trace.insns
	"$WAYMARK" calls $trace.wmk --format csv >$trace.calls
done
same "Thumb's instructions" thumb.insns thumb2.insns
same "Thumb's calls" thumb.calls thumb2.calls

# ---- refused -----------------------------------------------------------------

echo nothing >empty.log
refused "no log" '*no line of the log is about an instruction' \
	"$WAYMARK" import spike empty.log -o none.wmk
"$QEMU" -d in_asm,exec -D chained.log ./rounds
refused "QEMU's log without nochain" '*without nochain, so it misses blocks*' \
	"$WAYMARK" import qemu chained.log --elf rounds -o none.wmk
refused "no QEMU log" '*the log has no Trace line*' "$WAYMARK" import qemu empty.log -o none.wmk
refused "no file" '*cannot open nowhere.log*' "$WAYMARK" import spike nowhere.log -o none.wmk
refused "no ELF file" '*no ELF file with code' \
	"$WAYMARK" import spike log --elf empty.log -o none.wmk
misused "no format" '*FORMAT is *, not "sparc"' "$WAYMARK" import sparc log
misused "no record" '*a FORMAT and a RECORD are needed*' "$WAYMARK" import spike
misused "two records" '*one RECORD at a time*' "$WAYMARK" import spike log log
finish
