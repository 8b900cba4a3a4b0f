#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Windows hold what runs between their bounds, to the instruction: against the witness,
# which sees all of the same run, and is cut by bounds that nm and objdump report.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/common
. "$SRC/tests/witness/common"

# shellcheck source=tests/differential/cuts
. "$SRC/tests/differential/cuts"

# ---- every kind of place -----------------------------------------------------

check "symbols" f@10..f@20
check "in the middle of blocks" "$(inside f 3)@5..$(inside f 3)@9"
check "from one middle to another" "$(inside g 2)@3..$(inside g 4)@50"
check "from main on" main..
check "up to the third call" ..f@3
check "from one call to the next" f@7..f@7
check "a line" "calls.c:$(line 'line of g')@3..calls.c:$(line 'x += sink')@20" \
	"line:$(line 'line of g')@3..line:$(line 'x += sink')@20"
check "a line in pieces" "calls.c:$(line 'x >> i')@2..g@9" "line:$(line 'x >> i')@2..g@9"
check "addresses" "$(address g)@2..$(address do_marks)@2"
check "counted instructions" insn:1000..insn:2000
check "the first instruction" insn:0..insn:1
check "counted, to the end" insn:12345..
check "from a count to a call" insn:20001..f@900
check "markers" marker:5@3..marker:7@5 mark_point@3..mark_end@5
check "markers that begin" marker:7@2..marker:5@4 mark_begin@2..mark_point@4
check "system calls" syscall:write@2..syscall:write@3 after:write_call@2..after:write_call@3
check "a system call by number" syscall:64..f@200 after:write_call..f@200
check "a file's symbol" "calls*:f@998..calls.O3:do_write@9" f@998..do_write@9

held "two options" "$calls.O3" :: --start f@10 --stop g@4 :: --window f@10..g@4
held "windows that overlap" "$calls.O3" :: --window f@5..f@100 --window g@5..g@40 \
	--window f@990.. :: --window f@5..f@100 --window g@5..g@40 --window f@990..
held "windows within each other" "$calls.O3" :: --window f@5..f@100 --window g@5..g@6 :: \
	--window f@5..f@100 --window g@5..g@6
held "each instruction a block" "$calls.O3" :: --precise \
	--window "$(inside f 3)@5..f@9" :: --window "$(inside f 3)@5..f@9"
held "a child" "$calls.O3" fork :: --window f@290..f@320 :: --window f@290..f@320 \
	--fork fork_done
held "a window in a child only" "$calls.O3" fork :: --window f@290..f@295 \
	--window f@400..g@60 :: --window f@290..f@295 --window f@400..g@60 --fork fork_done
held "a dynamic program" "$calls.dyn" :: --window "f@10..$(inside g 3 dyn)@70" :: \
	--window "f@10..$(inside g 3 dyn)@70"
held "threads" "$calls.O3" threads :: --window "f@1100..f@1500" :: --part

held "so many instructions" "$calls.O3" :: --max-insns 5001 :: --max-insns 5001 --insns 5001
held "so many in a window" "$calls.O3" :: --max-insns 777 --start "$(inside f 3)@3" :: \
	--max-insns 777 --window "$(inside f 3)@3.." --insns 777

# ---- against the full trace of another run -----------------------------------

"$WAYMARK" record --qemu "$QEMU" -o full.wmk "$calls.O3" >out
"$WAYMARK" record --qemu "$QEMU" -o run.wmk --window f@10..f@20 "$calls.O3" >out
"$WAYMARK" insns full.wmk --format csv | awk -F, '
	$3 == "f" && $4 == 0 { n++ }
	n >= 10 && n < 20 && NR > 1 { sub(/^[0-9]*,/, ""); print }' >wanted
"$WAYMARK" insns run.wmk --format csv | awk -F, '
	NR > 1 && $5 != "" { sub(/^[0-9]*,/, ""); print }' >got
if [ -s wanted ] && cmp -s wanted got &&
	[ "$(grep -c '^0x[0-9a-f]*,f,0,' got)" = 10 ]; then
	passed "ten calls of a thousand" "$(wc -l <got) instructions"
else
	failed "ten calls of a thousand" "$(diff wanted got | head -n 20)"
fi

# ---- ends --------------------------------------------------------------------

insns() {
	"$WAYMARK" info run.wmk --format json | sed -n 's/^ *"instructions": \([0-9]*\),$/\1/p' |
		head -n 1
}

ends "a window that never opens" 2 \
	"waymark: the window f@1001.. never opened: its start was not reached" \
	--start f@1001 "$calls.O3"
ends "a window that never closes" 0 \
	"waymark: the window f@3..f@1001 never closed: its end was not reached" \
	--window f@3..f@1001 "$calls.O3"
ends "one of two windows" 2 \
	"waymark: the window insn:1G.. never opened: its start was not reached" \
	--window f..f@2 --window insn:1G.. "$calls.O3"
ends "an address without code" 2 \
	"waymark: the window 0x1.. never opened: its start was not reached" \
	--start 0x1 "$calls.O3"
ends "then it exits" 0 "" --window f@10..f@20 --then exit "$calls.O3" spin
if [ "$(insns)" = "$(wc -l <got)" ] && [ ! -s out ]; then
	passed "it exits at once" "$(insns) instructions"
else
	failed "it exits at once" "$(insns) instructions, $(cat out)"
fi
ends "a number of instructions, then exit" 0 "" --max-insns 1M --then exit "$calls.O3" spin
[ "$(insns)" = 1000000 ] || failed "a million instructions" "$(insns)"
ends "a time, then exit" 0 "" --max-time 1 --then exit "$calls.O3" spin
[ "$(insns)" -gt 0 ] || failed "a time" "$(insns) instructions"
ends "a time to another, then exit" 0 "" --window time:0.01..time:1 --then exit \
	"$calls.O3" spin
[ "$(insns)" -gt 0 ] || failed "from a time to another" "$(insns) instructions"
ends "a size, then exit" 0 "" --max-size 30k --then exit "$calls.O3" spin
size=$(wc -c <run.wmk)
if [ "$size" -gt 15000 ] && [ "$size" -lt 60000 ]; then
	passed "the file's size" "$size bytes for 30k"
else
	failed "the file's size" "$size bytes for 30k"
fi

# A program that sleeps sees no orders: a signal wakes it. QEMU 10.2 does not catch SIGTERM
# for it, and SIGQUIT may be ignored from the start.
mkfifo never
sleeper_ends() {
	name=$1
	guest=0
	shift
	timeout "$GUARD" "$@" "$WAYMARK" record --qemu "$QEMU" -o run.wmk --max-time 0.05 \
		--then exit "$calls.O3" sleep <>never >out 2>err || guest=$?
	if [ "$guest" = 0 ] && "$WAYMARK" verify run.wmk >verified; then
		passed "$name" "$(cat verified)"
	else
		failed "$name" "exit status $guest: $(cat err verified)"
	fi
}
sleeper_ends "what sleeps is ended"
sleeper_ends "what sleeps and ignores SIGQUIT is ended" env --ignore-signal=QUIT
exit $((failures > 0))
