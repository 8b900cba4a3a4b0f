#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The walk through a managed program, CPython's: lines and methods by analysis of the program, each
# step by brute force over all bytecodes and the tree of calls, and a terminal's screen.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
export WAYMARK

sysroot=$("$SRC/tests/sysroot.sh")
cp "$SRC/tests/guests/python/frames.py" .
"$WAYMARK" record -q --guide cpython -L "$sysroot" -o run.wmk -- python3.13 frames.py >stdout
check "steps, by brute force" "$PYTHON" "$SRC/tests/cli/browse/methods_oracle.py" run.wmk 0 frames.py 12

# walk KEYS: method and line after each key, without offsets.
walk() { "$WAYMARK" browse --keys "$1" run.wmk | sed 's/.*0x[0-9a-f]*  //; s/@[0-9]*//; s/ \+/ /g'; }
# lines NAME KEYS LINE...: behind the first, which is where the thread begins.
lines() {
	what=$1
	walk "$2" | tail -n +2 >walked
	shift 2
	printf '%s\n' "$@" >wanted
	same "$what" wanted walked
}
lines "lines over calls, and back" 'gframes.py:48; n n n n n n n N N' \
	'main frames.py:48' 'main frames.py:49' 'main frames.py:50' 'main frames.py:51' \
	'main frames.py:52' 'main frames.py:53' 'main frames.py:54' '<module> frames.py:57' \
	'<module> frames.py:47' '<module> frames.py:42'
lines "a method of a file, and none of another" 'gframes.py:main; ^ gother.py:main;' \
	'main frames.py:47' "$(walk '^' | tail -n 1)" \
	"the thread has no such position after this one; < looks before it"
lines "lines into calls, and out of them" 'gframes.py:52; s s s s f n' \
	'main frames.py:52' 'key frames.py:38' 'key frames.py:39' 'key frames.py:38' \
	'key frames.py:39' 'main frames.py:52' 'main frames.py:53'
lines "what is thrown leaves methods" 'gfib; gcatch; > s s s s n n n n F' \
	'fib frames.py:5' 'catch frames.py:31' 'catch frames.py:31' \
	'catch frames.py:32' 'catch frames.py:33' 'bad frames.py:22' 'bad frames.py:23' \
	'bad frames.py:25' 'bad frames.py:26' 'bad frames.py:28' 'catch frames.py:34' 'main frames.py:51'
"$WAYMARK" browse --keys 'gframes.py:24; > > R u u u u u u' run.wmk | tail -n 6 | sed 's/@[0-9]*//' >stack
cat >wanted <<'END'
#1 bad  frames.py:26
#2 bad  frames.py:26
#3 catch  frames.py:33
#4 main  frames.py:51
#5 <module>  frames.py:57
no frame is known there
END
same "the methods that wait" wanted stack
at() {
	got=$("$WAYMARK" browse --keys "$3" "${4:-run.wmk}" | tail -n 1)
	# shellcheck disable=SC2254 # a pattern it is
	case $got in
	$2) passed "$1" ;;
	*) failed "$1" "wanted $2, got $got" ;;
	esac
}
at "native code of the same moment" '*0x*  _PyEval_EvalFrameDefault+0x*' 'gfib; v'
at "and bytecode again" '*  fib  frames.py:5' 'gfib; v v'
# A bytecode is found by what its position is called.
inside=$("$WAYMARK" browse --keys 'gfib; i i i' run.wmk | sed -n '$s/.*  \(fib@[0-9]*\)  .*/\1/p')
at "a bytecode of a method" "*  $inside  frames.py:*" "g$inside;"
at "and of a file" "*  $inside  frames.py:*" "gframes.py:$inside;"
at "none at this offset" 'the thread has no such position*' 'gfib@99999;'
at "a method that is not there" '*; did you mean "catch"?' 'gcatsh;'
at "before the first bytecode" '0 of * sub_*' '^'
at "a function of native code" '*_start*' '$ G_start;'
at "what native code caught left methods, too" 'no frame is known there' 'gframes.py:57; R u'
"$WAYMARK" record -q -o bare.wmk "$GUESTS/marks.O3" >/dev/null 2>&1 || true
at "no bytecodes" 'the trace has no bytecodes; they need a recording with --guide' v bare.wmk

screen() { tmux -L "methods$$" "$@"; }
shows() {
	if until_true sh -c "tmux -L methods$$ capture-pane -p | grep -q -- '$2'"; then
		passed "$1"
	else
		failed "$1" "$(screen capture-pane -p)"
	fi
}
screen -f /dev/null new-session -d -x 130 -y 36 "$WAYMARK browse --from fib run.wmk; sleep 1000"
shows "the position" ' of [0-9,]* .*fib  frames.py:5'
shows "its source" '^> *5  def fib(n):'
shows "its bytecode" '> *[0-9,]* *fib  *RESUME'
shows "what waits for it" '#1 *main@.*frames.py:48 *at'
screen send-keys v
shows "its instruction" '> *[0-9,]* *_PyEval_Eva.*+0x'
screen kill-server
