#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# However it ends, whoever ends it: the guest does what it does untraced, and the file is
# whole, or says that it is not.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

guest=$GUESTS/processes/spin.O3
plugin=$BUILD/libwaymark-v$("$SRC/tests/plugin-api.sh" "$QEMU").so
brief=150 # a second or so
"$QEMU" "$guest" $brief >plain || true

# started ROUNDS WORD...: spin is recorded in the background, pid in $guest_pid; it has said
# that it is ready.
started() {
	rounds=$1
	shift
	rm -f said run.wmk
	mkfifo said
	"$WAYMARK" record "$@" -o run.wmk "$guest" "$rounds" <"${go-/dev/null}" >said 2>stderr &
	guest_pid=$!
	exec 9<said
	read -r ready <&9 && [ "$ready" = ready ]
	rm said
}

ended() {
	status=0
	wait "$guest_pid" 2>/dev/null || status=$?
}

whole() { check "$1: the trace is whole" "$WAYMARK" verify run.wmk; }

# ---- signals from others -----------------------------------------------------

# (A shell's jobs in the background ignore SIGINT and SIGQUIT: terminal.sh has those.)
for signal in 1 9 10 14 15; do
	started 4000
	kill -$signal "$guest_pid"
	ended
	check "signal $signal: the program ends so" [ "$status" -eq $((128 + signal)) ]
	whole "signal $signal"
done

# Shared memory in a core would be gigabytes, and be allocated for that.

# undumped PID: each of its mappings of shared memory is left out of a core ("dd").
undumped() {
	awk '/^[0-9a-f]+-/ { shared = /memfd:waymark/ }
		/^VmFlags:/ && shared { seen++; if (!/ dd/) dumped++ }
		END { exit !seen || dumped }' "/proc/$1/smaps"
}

if grep -q ^VmFlags /proc/self/smaps 2>/dev/null; then
	started 4000
	check "the guest's core is without the shared memory" undumped "$guest_pid"
	check "the recorder's core, too" undumped "$(recorder_of "$guest_pid")"
	kill -KILL "$guest_pid"
	ended
else
	echo "ok cores are without the shared memory # SKIP the kernel does not show that"
fi

# ---- the collector -----------------------------------------------------------

# spun SECONDS: the collector is stopped once there is a file, and that much later the guest
# begins its work. (The file gets its name with the first blocks; before that there is none.)
spun() {
	rm -f said go errors run.wmk
	mkfifo said go errors
	# Into a file nothing would be said: it may be the guest's own.
	cat errors >stderr &
	reader=$!
	"$QEMU" -plugin "$plugin,out=$PWD/run.wmk" "$guest" $brief <go >said 2>errors &
	guest_pid=$!
	exec 8>go 9<said
	read -r ready <&9 && [ "$ready" = ready ]
	collector=$(pgrep -f "collect .*$PWD/run.wmk")
	until_true [ -e run.wmk ]
	kill -STOP "$collector"
	exec 8>&-
	sleep "$1"
}

# ended_well NAME STDERR: it printed what it prints untraced, ended with status 3, and said
# at most that many lines.
ended_well() {
	{ echo ready; cat <&9; } >got
	status=0
	wait "$guest_pid" || status=$?
	wait "$reader"
	check "$1: the guest ends well" [ "$status" -eq 3 ]
	check "$1: and prints all it has to" cmp -s got plain
	check "$1: it is said in $2 lines" [ "$(wc -l <stderr)" -eq "$2" ]
}

for wait in 0 0.3; do
	spun $wait
	kill -KILL "$collector"
	ended_well "collector killed after $wait s" 1
	"$WAYMARK" info run.wmk >info || true
	check "collector killed after $wait s: its trace is incomplete" grep -q '^complete *no' info
done

spun 0.3
kill -CONT "$collector"
ended_well "collector stopped for a while" 0
whole "collector stopped for a while"

exec 8<>go
go=go
started $brief
unset go
kill -KILL "$(recorder_of "$guest_pid")"
echo >&8
{ echo ready; cat <&9; } >got
check "recorder killed: the guest prints all it has to" cmp -s got plain
ended
check "recorder killed: the guest ends well" [ "$status" -eq 3 ]

# ---- where output goes -------------------------------------------------------

started 4000
exec 9<&- # nobody reads on: spin prints nothing more, so this ends nothing
kill -TERM "$guest_pid"
ended
"$WAYMARK" record -o run.wmk "$GUESTS/echo.O3" </dev/zero 2>stderr | head -c 100000 >got
check "SIGPIPE: the reader gets what it wants" [ "$(wc -c <got)" -eq 100000 ]
whole "SIGPIPE"

# Each of them may go wrong, so there are some.
for _ in 1 2 3 4 5 6 7 8; do
	"$WAYMARK" record -o run.wmk "$GUESTS/processes/again.O3" end 1
	"$WAYMARK" info run.wmk 2>&1 | grep -E '^(ended|complete)'
done | sort | uniq -c | xargs >endings
check "exit while threads fail to execute" \
	grep -qx '8 complete yes 8 ended exit status 0' endings

# One of them takes long to fail, as a thread that a busy machine does not run.
"${CC:-cc}" -shared -fPIC -o late_open.so "$SRC/tests/cli/record/late_open.c"
LD_PRELOAD="$PWD/late_open.so" "$WAYMARK" record -o run.wmk "$GUESTS/processes/again.O3" end 1
run "$WAYMARK" info run.wmk
check "exit while a thread fails to execute late: complete at once" grep -qx 'complete *yes' stdout
check "exit while a thread fails to execute late: its status" grep -qx 'ended *exit status 0' stdout

for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
	rm -f run.wmk
	status=0
	sh -c "exec \"\$@\" $closed" sh "$WAYMARK" record -o run.wmk "$guest" 1 >out 2>err ||
		status=$?
	check "closed, $closed: the guest's status" [ "$status" -eq 3 ]
	whole "closed, $closed"
	check "closed, $closed: nobody writes into it" sh -c '! grep -aq done run.wmk'
done

if unshare -m true 2>/dev/null; then
	mkdir readonly
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'mount -t tmpfs -o ro tmpfs readonly || exit
		"$WAYMARK" record -o readonly/run.wmk "$GUESTS/echo.O3"' 2>err </dev/null && status=0 ||
		status=$?
	check "an unwritable folder is an error" [ "$status" -eq 2 ]
	check "and the message names the file" grep -q 'readonly/run.wmk.*Read-only' err
else
	echo "ok an unwritable folder # SKIP there is no private mount namespace"
fi
finish
