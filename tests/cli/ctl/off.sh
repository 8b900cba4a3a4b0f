#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Off and on again: what ran meanwhile is left out, exactly that, and the trace says so.

# shellcheck source=tests/cli/ctl/common
. "$(dirname "$0")/common"
build_steps

# state STATE: whether the recording is in it.
state() { "$WAYMARK" ctl status | grep -qx "state          $1"; }

# A thread that waits in a system call obeys when it makes the next one: so what the first
# step after a wish does may still be as before, what the second one does is not.
begin run
step a
check "it records" state recording
run "$WAYMARK" ctl off
check "off prints nothing" test "$status" -eq 0 -a ! -s stdout -a ! -s stderr
check "it is off" state off
step b
step c
step c
step c
run "$WAYMARK" ctl run.wmk on
check "it is on" state recording
step d
step e
step e
end
check "the guest's output does not change" sh -c 'printf abcccdee | "$1" ./steps | cmp -s - run.out' - "$QEMU"
check "the trace is sound" sh -c '"$WAYMARK" verify run.wmk | grep -q "complete and sound"'

"$WAYMARK" hot --function work --format csv -f executions,function run.wmk >hot
calls=$(sed -n 's/^\([0-9]*\),work$/\1/p' hot)
check "the steps while it was off are left out" test "$calls" -ge 3 -a "$calls" -le 5
"$WAYMARK" info --format json run.wmk >partly.json
# The same steps, all of them recorded.
begin full
for byte in a b c c c d e e; do step $byte; done
end
"$WAYMARK" info --format json full.wmk >full.json
check "and no others, exactly" \
	"$PYTHON" "$SRC/tests/cli/ctl/off_facts.py" and_no_others_exactly
"$WAYMARK" events --only window --format jsonl run.wmk >windows
check "the trace has when it was off" test "$(wc -l <windows)" -eq 2

# A window that opens at the second step.
begin window --start work@2
step a
check "it waits for its window" state waiting
run "$WAYMARK" ctl status
check "the status has the window" grep -qx 'windows        1' stdout
step b
check "it records when its window is open" state recording
end

# A program that begins after the recording has had enough, and a child of that.
begin enough --max-size 1
step a
until_true state stopped
step b
step x
end
check "what begins after the limit takes nothing from the trace" \
	sh -c '! [ -s enough.err ] && "$WAYMARK" verify enough.wmk | grep -q "complete and sound"'
finish
