#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which events are on is seen, and changed, while a guest runs.

# shellcheck source=tests/cli/ctl/common
. "$(dirname "$0")/common"
build_steps

# state EVENT STATE: whether the recording has the event in it.
state() { "$WAYMARK" ctl events list | grep -qE "^$1 +$2 "; }

# writes TRACE: how often the guest's call that says it is done is among the events.
writes() { "$WAYMARK" events --only write --format csv "$1" | tail -n +2 | grep -c ',syscall,'; }

begin run --events '-*,syscall'
check "what was asked for is on" state syscall on
check "and nothing else" state marker off
step a
run "$WAYMARK" ctl events -syscall 'mark*'
check "other events are set silently" test "$status" -eq 0 -a ! -s stdout -a ! -s stderr
check "what was on is off" state syscall off
check "what was off is on" state marker on
# A thread that waits in a call looks when it makes the next one.
step b
step c
run "$WAYMARK" ctl events syscall
step d
refused "no such event" '*no event is called "nosuch"*' "$WAYMARK" ctl events nosuch
check "and nothing changed" state syscall on
end
n=$(writes run.wmk)
check "calls are missing in between" test "$n" -ge 3 -a "$n" -lt 5
"$WAYMARK" events --only ctl --format csv run.wmk >asked
check "a request is an event, when ctl events are wanted" test "$(wc -l <asked)" -eq 1
check "the trace is sound" sh -c '"$WAYMARK" verify run.wmk | grep -q "complete and sound"'

begin noted --events '-*,ctl'
run "$WAYMARK" ctl events '*'
run "$WAYMARK" ctl events list
end
check "orders are, questions are not" test \
	"$("$WAYMARK" events --only ctl --format csv noted.wmk | tail -n +2 | grep -c events)" -eq 1
finish
