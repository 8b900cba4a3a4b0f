#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A thread ends the process while others run: the trace has all that they ran. QEMU's log is
# the witness of the first process, and the program's own counts are that of a child. Where
# somebody else hears of the end from QEMU, they still do.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

program=$GUESTS/threads/stopped.O3
STOPS=${STOPS-6}

# record_plainly WORD...: without the library that keeps the log in memory (record_logged()):
# what other threads log after the last flush would be lost.
record_plainly() {
	guest=0
	"$WAYMARK" record --wait=all --qemu "$QEMU" -o run.wmk "$@" >out 2>err </dev/null ||
		guest=$?
}

# first_process HOW OPTION...: equal to QEMU's log, as `why` says.
first_process() {
	how=$1
	shift
	rm -f log run.wmk verdict
	mkfifo log
	"$WAYMARK" verify run.wmk --against log >verdict 2>&1 3>&- &
	# shellcheck disable=SC2086 # a list of words
	record_plainly $LOGGED "$@" "$program" "$how"
	: <>log
	why=
	wait $! || why="verify ends with $?: $(cat verdict err)"
	[ "$guest" = 4 ] || why="$why exit status $guest"
}

# counted THREAD: how often the thread's loop ran.
counted() {
	"$WAYMARK" annotate count run.wmk --thread "$1" --format csv >counts 2>remarks || true
	"$PYTHON" "$SRC/tests/differential/stopped_facts.py" counts
}

# child HOW STATUS: ends so, and its threads ran as often as they counted. The last number of
# each may not have been stored yet. Which of the two threads began first is chance.
child() {
	record_plainly "$program" "$1" fork
	read -r status numbers <out || true
	why=
	[ "$guest $status" = "0 $2" ] || why="ends with $guest, its child with $status"
	# shellcheck disable=SC2086 # two numbers
	set -- $(printf '%s\n' $numbers | sort -n) $(printf '%s\n' "$(counted 2)" "$(counted 3)" | sort -n)
	for pair in "$1 $3" "$2 $4"; do
		number=${pair% *} ran=${pair#* }
		[ "$ran" -eq "$number" ] || [ "$ran" -eq $((number + 1)) ] ||
			why="$why counted to $number, and ran $ran times"
	done
}

# all NAME COMMAND WORD...: STOPS times, each of which leaves an empty `why`.
all() {
	name=$1
	shift
	wanted "$name" || return 0
	for _ in $(seq "$STOPS"); do
		"$@"
		[ -z "$why" ] || break
	done
	if [ -z "$why" ]; then
		passed "$name" "$STOPS times"
	else
		failed "$name" "$why"
	fi
}

# heard NAME FILE TEXT WORD...: QEMU with these options writes that text at the end.
heard() {
	name=$1 file=$2 text=$3
	shift 3
	rm -f log
	record_plainly "$@" "$program" exit
	if [ "$guest" = 4 ] && grep -q "$text" "$file"; then
		passed "$name" "$(grep "$text" "$file")"
	else
		failed "$name" "exit status $guest; $(cat err)"
	fi
}

all "exit_group() in the first process" first_process exit
# Its threads stop while it waits to know its exit status.
all "exit_group() with --strict" first_process exit --strict
# Variables that change nothing at the end, and one that QEMU does not read.
QEMU_CPU=rv64 QEMU_LD_PREFIX=/nowhere QEMU_AUDIO_DRV=none \
	all "exit_group() with variables of QEMU" first_process exit
all "exit_group() in five threads" first_process together
all "exit_group() in five threads, --strict" first_process together --strict
all "exit_group() in a child" child exit 400
# Later ones take the callbacks away before a signal ends them.
case $(qemu_version) in
7.* | 8.*)
	all "abort() in a child" child abort 6
	all "a fault in a child" child fault b
	;;
esac

last='exit_group(4)'
heard "-strace has the end" err "$last" --qemu-arg -strace
heard "-d strace has the end" log "$last" \
	--qemu-arg -d --qemu-arg strace --qemu-arg -D --qemu-arg log
QEMU_STRACE=1 heard "QEMU_STRACE has the end" err "$last"
rm -f gdb
"$PYTHON" "$SRC/tests/differential/gdb_end.py" gdb >ended 3>&- &
record_plainly --qemu-arg -g --qemu-arg gdb "$program" exit
[ "$guest" = 4 ] || kill $! # it would wait for a QEMU that has ended
wait $! || true
if [ "$(cat ended)" = W04 ]; then
	passed "gdb has the end" "$(cat ended)"
else
	failed "gdb has the end" "exit status $guest; $(cat ended err)"
fi
exit $((failures > 0))
