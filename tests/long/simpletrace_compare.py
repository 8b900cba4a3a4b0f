# SPDX-License-Identifier: GPL-2.0-or-later
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
