#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The walk through a trace: every step compared with a list of all instructions, and the
# screen of a terminal in which keys are pressed.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
export WAYMARK

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O0 -g -static -o counted "$SRC/tests/cli/hot/counted.c"
"$WAYMARK" record -o run.wmk ./counted >/dev/null
"$PYTHON" "$SRC/tests/cli/browse/oracle.py" run.wmk 60
"$WAYMARK" record -o fault.wmk "$GUESTS/faults/overlap.O3" >/dev/null 2>&1 || true
"$PYTHON" "$SRC/tests/cli/browse/oracle.py" fault.wmk 20

# keys KEYS [TRACE]: the last line that they print.
keys() { "$WAYMARK" browse --keys "$@" | tail -n 1; }
# at NAME PATTERN KEYS [TRACE]
at() {
	what=$1 pattern=$2
	shift 2
	got=$(keys "$@")
	# shellcheck disable=SC2254 # a pattern it is
	case $got in
	$pattern) passed "$what" ;;
	*) failed "$what" "wanted $pattern, got $got" ;;
	esac
}
at "a function" '*  main  counted.c:*' 'gmain;' run.wmk
at "a function of a file" '*  main  counted.c:*' "gcounted:main;" run.wmk
at "none of another file" 'the thread has no such position*' 'glibc*:main;' run.wmk
# An instruction is found by what its position is called.
inside=$(keys 'gmain; i i i' run.wmk | sed 's/.*  \(main+0x[0-9a-f]*\)  .*/\1/')
at "an instruction of a function" "*  $inside  counted.c:*" "g$inside;" run.wmk
line=$(keys 'gmain;' run.wmk | sed 's/.*://')
at "a line" '*  main  counted.c:'"$line" "gcounted.c:$line;" run.wmk
at "a mark" '*  main  counted.c:*' "gmain; ma \$ 'a" run.wmk
at "a mark that is not set" 'no mark*' "'b" run.wmk
at "the end and back" '0 of *' '$ ^' run.wmk
at "a call of the kernel" '*brk*' '$ Gsyscall:brk;' run.wmk
at "and the one before it" '*brk*' '$ Gsyscall:brk; <' run.wmk
at "before the first" 'the thread has no such position*' '^ Gsyscall;' run.wmk
at "no such call" 'there is no syscall "wrote"' 'gsyscall:wrote;' run.wmk
at "a text" '*main*' '/main;' run.wmk
at "nothing" 'the thread has no such position after this one; < looks before it' \
	'gnothing_of_this_name;' run.wmk
at "beyond the last instruction" 'the thread has * instructions; $ goes to the last one' \
	'g99999999999;' run.wmk
at "a typing error" '*did you mean "main"?' 'gmian;' run.wmk
at "no line of source before" \
	'no line of source is known before this one; i and o step by instructions' '^ S' run.wmk
at "none but in calls" 'no line of source is known after this one outside of its calls; s steps*' \
	'n' run.wmk
at "the end of the thread" 'the thread has no such position after this one' '$ i' run.wmk
at "the text of an instruction" '[1-9]* of *' '/addi sp,sp,-;' run.wmk
# Each one, also of two in a row: the counts are those of the list.
"$WAYMARK" insns --from 0 --to 400 --format csv run.wmk | grep '"[^"]*sd ' | head -n 9 |
	cut -d, -f1 >listed
"$WAYMARK" browse --keys '/sd ; > > > > > > > >' run.wmk | tail -n +2 | sed 's/ of .*//' >found
same "each instruction with a text" listed found
at "up and Return: the call" '*  main+0x*' "gpick; u $(printf '\r')" run.wmk
at "above the first frame" 'no frame*' '^ u' run.wmk
at "a key without a meaning" 'h lists*' 'z' run.wmk

# Inlined functions have frames, with the line of each call.
cat >inlined.c <<'END'
static volatile int sink[3];

static inline __attribute__((always_inline)) int square(int x)
{
	return x * x * sink[0]; /* 5 */
}

static inline __attribute__((always_inline)) int area(int x)
{
	return square(x) + sink[1]; /* 10 */
}

__attribute__((noinline)) int outer(int x)
{
	return area(x) + sink[2]; /* 15 */
}

int main(void)
{
	return outer(4); /* 20 */
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -o inlined inlined.c
"$WAYMARK" record -o inlined.wmk ./inlined
"$WAYMARK" browse --keys 'ginlined.c:5; u u u d d' inlined.wmk | tail -n 5 >shown
cat >wanted <<'END'
#1 area  inlined.c:10  inlined
#2 outer+  inlined.c:15
#3 main+  inlined.c:20
#2 outer+  inlined.c:15
#1 area  inlined.c:10  inlined
END
sed 's/+0x[0-9a-f]*/+/; s/ outer  / outer+  /' shown >plain
same "inlined functions in the stack" wanted plain
at "the real frame of an inlined one" '*  outer*inlined.c:5' \
	"ginlined.c:5; u $(printf '\r')" inlined.wmk

"$WAYMARK" record -o marks.wmk "$GUESTS/marks.O3" >/dev/null 2>&1 || true
[ ! -s marks.wmk ] || at "a marker" '*' 'gmarker;' marks.wmk
refused "no terminal" '*this is no terminal; use --keys' "$WAYMARK" browse run.wmk
TERM=dumb "$PYTHON" "$SRC/tests/cli/main/on_terminal.py" "$WAYMARK" browse run.wmk </dev/null >dumb &&
	status=0 || status=$?
check "a dumb terminal" sh -c "test $status -eq 2 && grep -q 'terminal is dumb .*; use --keys' dumb"
refused "beyond the end" '*' "$WAYMARK" browse --keys i --from 1000G run.wmk

# ---- on a screen ----------------------------------------------------------------

screen() { tmux -L "browse$$-$columns" "$@"; }
# shows NAME PATTERN: in time.
shows() {
	if until_true sh -c "tmux -L browse$$-$columns capture-pane -p | grep -q -- '$2'"; then
		passed "$1"
	else
		failed "$1" "$(screen capture-pane -p)"
	fi
}
# below_title: the first of the keys on a page; it is drawn when the title is.
below_title() { screen capture-pane -p | grep -A 1 'keys (h: ' | tail -n 1; }
is_turned() { ! below_title | cmp -s - page; }
for size in "140 40" "80 24" "40 8"; do
	# shellcheck disable=SC2086 # two numbers
	set -- $size
	columns=$1
	screen -f /dev/null new-session -d -x "$1" -y "$2" "$WAYMARK browse run.wmk; echo over; sleep 1000"
	shows "$1 columns: the first instruction" '_start  at 0\| 0 of [0-9,]* '
	shows "$1 columns: how to get help, and out" 'h help  q quit'
	screen send-keys g
	screen send-keys -l main
	screen send-keys Enter
	shows "$1 columns: a function" ' main '
	[ "$2" -lt 20 ] || shows "$1 columns: its source" "^> *$line  "
	[ "$2" -lt 20 ] || shows "$1 columns: its instruction" '>.*main .*addi *sp,sp,-'
	[ "$2" -lt 20 ] || shows "$1 columns: the stack" '#0 *main .*counted.c'
	# A letter too many is taken back.
	screen send-keys G
	screen send-keys -l _startx
	screen send-keys BSpace
	screen send-keys Enter
	shows "$1 columns: back, and a letter taken back" ' _start '
	screen send-keys g
	screen send-keys -l main
	screen send-keys Enter
	shows "$1 columns: there again" ' main '
	[ "$2" -lt 20 ] || screen send-keys m
	[ "$2" -lt 20 ] || shows "$1 columns: what m wants" '^set a mark: a to z'
	[ "$2" -lt 20 ] || screen send-keys a
	# All keys are shown, on as many pages as it takes.
	screen send-keys h
	shows "$1 columns: keys" 'Capitals go back'
	until screen capture-pane -p | grep -q 'h: back to the trace'; do
		below_title >page
		screen send-keys h
		until_true is_turned || break
	done
	shows "$1 columns: the last keys" 'ends a search that takes long'
	screen send-keys h
	shows "$1 columns: the trace again" ' main '
	screen send-keys h
	shows "$1 columns: keys again" 'Capitals go back'
	screen send-keys q
	shows "$1 columns: q leaves the keys" ' main '
	screen resize-window -x $(($1 + 25)) -y $(($2 + 3))
	shows "$1 columns: another size" ' main '
	screen send-keys n
	screen send-keys N
	shows "$1 columns: there and back" ' main '
	screen send-keys g
	screen send-keys -l pick
	screen send-keys Enter
	shows "$1 columns: a called function" ' pick '
	screen send-keys u
	shows "$1 columns: up" '^#1 *main'
	screen send-keys q
	shows "$1 columns: the terminal is given back" '^over'
	screen kill-server
done

# ---- a signal just before the wait for a key --------------------------------------

"${CC:-cc}" -shared -fPIC -o late_signal.so "$SRC/tests/cli/browse/late_signal.c"
check "a signal just before the wait for a key ends it" \
	"$PYTHON" "$SRC/tests/cli/browse/signalled.py" "$WAYMARK" run.wmk "$PWD/late_signal.so"

# ---- keys beyond ASCII; Ctrl-C while much is read ----------------------------------------------------

cat >long.c <<'END'
__attribute__((noinline)) void zażółć(void) { __asm__ volatile(""); }
int main(void)
{
	zażółć();
	for (volatile int i = 0; i < 30000000; i++)
		;
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -o long long.c
"$WAYMARK" record -o long.wmk ./long
check "names that are not ASCII; Ctrl-C ends a step that takes long" \
	"$PYTHON" "$SRC/tests/cli/browse/stopped.py" "$WAYMARK" long.wmk
finish
