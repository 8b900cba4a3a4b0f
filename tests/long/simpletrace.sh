#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that QEMU's trace back end "simple" wrote, against what its back end "log" wrote of
# the same run. WAYMARK_QEMU_SIMPLE names a qemu-riscv64 that was configured with
# --enable-trace-backends=log,simple. With its ../share/qemu/trace-events-all, texts are
# compared, too.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

simple=${WAYMARK_QEMU_SIMPLE-}
if [ -z "$simple" ]; then
	echo "ok simpletrace # SKIP WAYMARK_QEMU_SIMPLE names no QEMU with the back ends log and simple"
	exit 0
fi

# The same events, in the same order in each thread, at about the same time; but for the
# last 64 KiB of QEMU's buffer, which user mode does not write out.
cat >compare.py <<'END'
import json, re, subprocess, sys
waymark = sys.argv[1]
def listed(*more):
    out = subprocess.run([waymark, "events", "run.wmk", "--format", "jsonl", *more],
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]
plain = listed()
merged = listed("--simpletrace", "t.bin", *sys.argv[4:])
texts = sys.argv[5:] != ["undeclared"]
assert all(a["ns"] <= b["ns"] for a, b in zip(merged, merged[1:]))
def groups(events, number):
    found = {}
    for event in events:
        name = event["text"].split()[0]
        words = [int(word, 16) for word in re.findall(number, event["text"])]
        what = event["text"] if texts else words
        found.setdefault(words[0], []).append((event["ns"], name, what))
    return found
# Lines of the log are of no process.
log = groups([e for e in plain if e["event"] == "qemu"], r"=0x([0-9a-f]+)")
ours = groups([e for e in merged if e["event"] == "qemu" and e["process"] is not None],
              r"=0x([0-9a-f]+)" if texts else r" 0x([0-9a-f]+)")
lines = sum(len(group) for group in log.values())
events = sum(len(group) for group in ours.values())
assert len(merged) == len(plain) + events
assert len(ours) >= int(sys.argv[2]) and events > 500, (len(ours), events)
assert 0 <= lines - events <= 65536 // 32, (lines, events)
for key, group in ours.items():
    there = log[key]
    assert [event[1:] for event in group] == [line[1:] for line in there[:len(group)]]
    assert all(abs(event[0] - line[0]) < 10**9 for event, line in zip(group, there))
assert any(event[1] == sys.argv[3] for group in ours.values() for event in group)
print("#", events, "of", lines, "events, groups:", len(ours))
END

# compared NAME GROUPS EVENT WORD...: records a guest with both back ends.
compared() {
	what=$1 groups=$2 event=$3
	shift 3
	rm -f t.bin
	"$WAYMARK" record --qemu "$simple" -o run.wmk \
		--qemu-trace 'guest_user_sys*,user_setup_rt_frame' \
		--qemu-arg -trace --qemu-arg file=t.bin "$@" >out
	check "$what" "$PYTHON" compare.py "$WAYMARK" "$groups" "$event" \
		--trace-events undeclared
	[ ! -f "$declared" ] || check "$what: texts" "$PYTHON" compare.py "$WAYMARK" \
		"$groups" "$event"
}
echo 'nothing(void) ""' >undeclared
declared=$(dirname "$simple")/../share/qemu/trace-events-all
compared "system calls" 1 guest_user_syscall "$GUESTS/signal.O3"
compared "signals" 2 user_setup_rt_frame "$GUESTS/signal.O3"
compared "threads" 4 guest_user_syscall_ret "$GUESTS/threads/generations.O3"
finish
