#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whoever is killed: what the guest did before is in the file, and nobody hangs.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# started FILE: spin is recorded in the background, pid in $guest, by $recorder; it has said
# that it runs, and has been in its loop since.
started() {
	rm -f said
	"$WAYMARK" record -o "$1" "$GUESTS/processes/spin.O3" >said 2>stderr &
	guest=$!
	until_true test -s said
	has_run "$guest"
	recorder=$(recorder_of "$guest")
}

ended() {
	status=0
	wait "$guest" 2>/dev/null || status=$?
}

is_gone() { ! kill -0 "$1" 2>/dev/null; }
gone() { until_true is_gone "$1"; }

# ---- the guest, by a signal no program survives ------------------------------

started run.wmk
kill -KILL "$guest"
ended
check "guest killed: that is its end" test "$status" -eq 137
check "guest killed: the trace is whole" "$WAYMARK" verify run.wmk
check "guest killed: its last loop is in it" \
	sh -c '"$0" blocks run.wmk | tail -n 100 | grep -q " main"' "$WAYMARK"

# ---- the recorder, asked to end: the guest runs on ---------------------------

started run.wmk
kill -TERM "$recorder"
check "recorder asked to end: it does" gone "$recorder"
check "recorder asked to end: the guest runs on" kill -0 "$guest"
run "$WAYMARK" verify run.wmk
check "recorder asked to end: the trace has all up to then" sh -c \
	'test "$0" -eq 1 && grep -q "sound .*the recording was stopped while programs ran: $1" stdout' \
	"$status" "$guest"
kill -KILL "$guest"
ended

# ---- limits on CPU time ------------------------------------------------------

# soft_and_hard PID
soft_and_hard() { prlimit --pid "$1" --cpu --raw --noheadings -o SOFT,HARD | xargs; }

ulimit -S -t 5000
started run.wmk
ulimit -S -t "$(ulimit -H -t)"
check "a soft limit on CPU time: the guest's" test "$(soft_and_hard "$guest" | sed 's/ .*//')" = 5000
# shellcheck disable=SC2046 # two words
check "a soft limit on CPU time: not the recorder's" test $(soft_and_hard "$recorder" | sed 's/ / = /')
kill -XCPU "$recorder"
check "a hard limit on CPU time: the recorder ends" gone "$recorder"
kill -KILL "$guest"
ended
run "$WAYMARK" verify run.wmk
check "a hard limit on CPU time: the trace has all up to then" sh -c \
	'test "$0" -eq 1 && grep -q "sound .*the recording was stopped while programs ran: $1" stdout' \
	"$status" "$guest"

# ---- the recorder, killed: the guest runs on ---------------------------------

started run.wmk
kill -KILL "$recorder"
gone "$recorder" || true
check "recorder killed: the guest runs on" has_run "$guest"
kill -KILL "$guest"
ended
run "$WAYMARK" verify run.wmk
check "recorder killed: the file says it is cut short" \
	sh -c 'test "$0" -eq 1 && grep -q "cut short" stdout' "$status"
run "$WAYMARK" info run.wmk --format json
check "recorder killed: info serves it" grep -q '"complete": false' stdout

rm said # so that it is not taken for what is said now
mkfifo lines
"$WAYMARK" record -o exec.wmk "$GUESTS/processes/runner.O3" late "$GUESTS/processes/runner.O3" \
	exec "$GUESTS/processes/chain.O3" 0 a b <lines >said 2>stderr &
guest=$!
exec 3>lines
until_true test -s said
recorder=$(recorder_of "$guest")
kill -KILL "$recorder"
gone "$recorder" || true
echo >&3
exec 3>&-
ended
check "recorder killed: programs that are executed then run" grep -qx "chain 0 here 00000000" said
check "recorder killed: their status is their own" test "$status" -eq 9

# The recorder lives, and the next program cannot reach it.
if unshare -m true 2>/dev/null; then
	export GUESTS
	rm said
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c '"$WAYMARK" record -o away.wmk "$GUESTS/processes/runner.O3" late \
			"$GUESTS/processes/chain.O3" 0 a b <lines >said 2>stderr &
		exec 3>lines
		until test -s said; do sleep 0.05; done
		recorder=$("$WAYMARK" ctl $! status | sed -n "s/^recorder *process //p")
		mount -t tmpfs tmpfs "/proc/$recorder/fd"
		echo >&3
		wait $!' || true
	check "recorder out of reach: the next program runs" grep -qx "chain 0 here 00000000" said
	# Nobody holds the program that the recorder does not see.
	settled() { "$WAYMARK" info away.wmk >stdout && ! grep -q "still being recorded" stdout; }
	until_true settled
	check "recorder out of reach: the trace says what it lacks" \
		grep -q "^complete *no: 1 process was not recorded" stdout
else
	echo "ok a recorder out of reach # SKIP there is no private mount namespace"
fi
finish
