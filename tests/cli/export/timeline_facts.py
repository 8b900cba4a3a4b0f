# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: timeline_facts.py FORMAT FILE LEAST TRACE [OPTION...]
       timeline_facts.py weights FILE LEAST TRACE [OPTION...]    of any form, by speedscope

A timeline against `waymark calls --tree TRACE OPTION...`: the same calls of the same
threads, in the same order, without those of fewer than LEAST instructions. What each format
asks of a file is checked on the way.
"""

import csv
import json
import os
import re
import subprocess
import sys

form, path, least, *selection = sys.argv[1:]
least = int(least)
# Deeper calls have no place in its records.
UFTRACE_DEPTH = 1024


def tree():
    """{thread: [(name, first, end)]} in the order in which calls begin."""
    words = [os.environ["WAYMARK"], "calls", *selection, "--tree", "--format", "csv"]
    out = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    threads, stack = {}, []
    for row in csv.DictReader(out.splitlines()):
        if row["event"] == "entry":
            stack.append([row["function"], int(row["insn"]), None])
            if form != "uftrace" or len(stack) <= UFTRACE_DEPTH:
                threads.setdefault(int(row["thread"]), []).append(stack[-1])
        else:
            stack.pop()[2] = int(row["insn"])
    assert not stack
    return {thread: [tuple(call) for call in calls if call[2] - call[1] >= least]
            for thread, calls in threads.items()}


def nest(events):
    """The same of events: (begins, name or None, instruction)."""
    calls, stack, now = [], [], 0
    for begins, name, at in events:
        assert at >= now, "time goes back"
        now = at
        if begins:
            stack.append([name, at, None])
            calls.append(stack[-1])
        else:
            call = stack.pop()
            assert name in (None, call[0]), "calls do not nest"
            call[2] = at
    assert not stack, "calls that do not end"
    return [tuple(call) for call in calls]


def speedscope():
    """Its file-format-schema.json asks for these members and no others of an evented one."""
    file = json.load(open(path))
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert file.keys() <= {"$schema", "exporter", "profiles", "shared", "name",
                           "activeProfileIndex"}
    frames = file["shared"]["frames"]
    for frame in frames:
        assert isinstance(frame["name"], str) and frame.keys() <= {"name", "file", "line", "col"}
    threads = {}
    for profile in file["profiles"]:
        assert profile.keys() == {"type", "name", "unit", "startValue", "endValue", "events"}
        assert profile["type"] == "evented" and profile["unit"] == "none"
        for event in profile["events"]:
            assert event.keys() == {"type", "frame", "at"} and event["type"] in "OC"
            assert profile["startValue"] <= event["at"] <= profile["endValue"]
        thread = int(re.match(r"thread (\d+)", profile["name"])[1])
        assert thread not in threads
        threads[thread] = nest((event["type"] == "O", frames[event["frame"]]["name"],
                                event["at"]) for event in profile["events"])
    return threads


def chrome():
    file = json.load(open(path))
    assert file["otherData"]["least_insns"] == least
    events, names = {}, {}
    for event in file["traceEvents"]:
        assert event["pid"] > 0 and event["tid"] > 0
        if event["ph"] == "M":
            if event["name"] == "thread_name":
                names[event["tid"]] = event["args"]["name"]
                events[event["tid"]] = []
        else:
            events[event["tid"]].append((event["ph"] == "B", event["name"], event["ts"]))
    for tid in events:
        assert re.match(rf"thread {tid - 1}\b", names[tid]), names
    return {tid - 1: nest(found) for tid, found in events.items()}


class Fields:
    """A message of protocol buffers by its public encoding: [(number, value)]."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def __iter__(self):
        while self.at < len(self.data):
            key = self.varint()
            assert key & 7 in (0, 2), "a wire type that nothing here has"
            value = self.varint()
            if key & 7 == 2:
                self.at += value
                assert self.at <= len(self.data), "a message that is cut short"
                value = self.data[self.at - value:self.at]
            yield key >> 3, value


def one(message, number, default=None):
    found = [value for field, value in Fields(message) if field == number]
    assert len(found) <= 1, (number, found)
    return found[0] if found else default


def perfetto():
    """protoc, too, must take it for what the public schema has."""
    schema = os.environ["SRC"] + "/tests/cli/export"
    with open(path, "rb") as file:
        text = subprocess.run(["protoc", "-I" + schema, "--decode=perfetto.protos.Trace",
                               schema + "/perfetto.proto"], stdin=file, text=True,
                              stdout=subprocess.PIPE, check=True).stdout
    unknown = re.search(r"^ *\d+[: ].*$", text, re.M)
    assert not unknown, unknown
    events, names, processes, first = {}, {}, set(), True
    instants, tracks, counters = {}, {}, {}
    for field, packet in Fields(open(path, "rb").read()):
        assert field == 1 and one(packet, 10) == 1
        assert one(packet, 13) == (3 if first else 2)
        first = False
        track, interned = one(packet, 60), one(packet, 12)
        event = one(packet, 11)
        if track and one(track, 3):
            processes.add((one(track, 1), one(one(track, 3), 1)))
        elif track and one(track, 8):
            assert one(one(track, 8), 6) and one(track, 1) not in tracks
            tracks[one(track, 1)] = one(track, 5) - 1, one(track, 2).decode()
        elif track:
            thread = one(track, 4)
            assert (one(track, 5), one(thread, 1)) in processes
            assert re.match(rb"thread %d\b" % (one(thread, 2) - 1), one(thread, 5))
            events[one(track, 1)] = []
        if interned:
            number = one(one(interned, 2), 1)
            assert number not in names
            names[number] = one(one(interned, 2), 2).decode()
        if event and one(event, 9) == 4:
            counters.setdefault(tracks[one(event, 11)], []).append(
                (one(packet, 8), one(event, 30)))
        elif event and one(event, 9) == 3:
            assert one(event, 11) in events
            instants.setdefault(one(event, 11) - 1, []).append(
                (one(packet, 8), one(event, 23).decode()))
        elif event:
            kind = one(event, 9)
            assert kind in (1, 2) and (kind == 1) == (one(event, 10) is not None)
            events[one(event, 11)].append((kind == 1, names.get(one(event, 10)),
                                           one(packet, 8)))
    if len(selection) == 1 and least == 1:
        happened(instants)
        for found in counters.values():
            assert found == sorted(found), "time goes back"
        measured(counters)
    return {track - 1: nest(found) for track, found in events.items()}


def rows(*words):
    out = subprocess.run([os.environ["WAYMARK"], *words, "--format", "csv", *selection],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return list(csv.DictReader(out.splitlines()))


def happened(instants):
    """System calls, signals and markers of threads are those of `waymark events`."""
    wanted = {}
    for row in rows("events"):
        if row["event"] in ("syscall", "signal", "marker") and row["thread"].isdigit():
            wanted.setdefault(int(row["thread"]), []).append((int(row["insn"]), row["name"]))
    # How `events` spells a marker is its own.
    assert {t: [at for at, _ in found] for t, found in instants.items()} == \
        {t: [at for at, _ in found] for t, found in wanted.items()}
    for thread, found in instants.items():
        for (_, name), (_, named) in zip(found, wanted[thread]):
            assert name == named or name.startswith("marker "), (name, named)


def measured(counters):
    """Misses and working sets are those of `waymark cache` and `waymark mem`."""
    if not any(name == "L1D misses" for _, name in counters):
        assert not rows("cache")
        return
    info = subprocess.run([os.environ["WAYMARK"], "info", "--format", "json", *selection],
                          stdout=subprocess.PIPE, check=True).stdout
    longest = max(thread["instructions"] for thread in json.loads(info)["threads"])
    interval = ["--interval", str(max(1000, longest // 1000))]
    wanted = {}
    for row in rows("cache", *interval):
        at, thread = int(row["from"]), int(row["thread"])
        wanted.setdefault((thread, "L1D misses"), []).append((at, int(row["l1d_misses"])))
        wanted.setdefault((thread, "LLC misses"), []).append((at, int(row["llc_misses"])))
    for row in rows("mem", "--working-set", *interval):
        wanted.setdefault((int(row["thread"]), "working set"), []).append(
            (int(row["from"]), 64 * int(row["cache_lines"])))
    for name, found in counters.items():
        assert name[1] == "instructions per ms" or found == wanted[name], name
    assert wanted.keys() <= counters.keys()


def uftrace():
    """What uftrace finds in the data directory."""
    words = ["uftrace", "dump", "--no-pager", "-d", path]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "No data available" in done.stderr:
        return {} # as it says of threads without a call
    assert done.returncode == 0 and not done.stderr, done.stderr
    events, tasks = {}, open(path + "/task.txt").read()
    for tid in re.findall(r"^TASK .* tid=(\d+) ", tasks, re.M):
        events[int(tid)] = []
    depth = 0
    for line in done.stdout.splitlines():
        m = re.match(r"(\d+)\.(\d{9})\s+(\d+): \[(entry|exit )\] (.*)\([0-9a-f]+\) depth: (\d+)",
                     line)
        if not m:
            assert "] " not in line, line
            continue
        at, begins = int(m[1] + m[2]), m[4] == "entry"
        depth -= not begins
        assert depth == int(m[6]), line
        depth += begins
        events[int(m[3])].append((begins, m[5], at))
    return {tid - 1: nest(found) for tid, found in events.items()}


def weights():
    """Of speedscope's importer, by thread: {function: [own, total]}."""
    reader = os.environ["SRC"] + "/tests/cli/export/speedscope.js"
    read = subprocess.run(["node", reader, os.environ["SPEEDSCOPE"], path],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    threads = {}
    for one in json.loads(read)["profiles"]:
        of_it = threads.setdefault(int(re.search(r"thread (\d+)", one["name"])[1]), {})
        for function in one["functions"]:
            sums = of_it.setdefault(function["name"], [0, 0])
            sums[0] += function["self"]
            sums[1] += function["total"]
    return threads


def tree_weights():
    """The same of the tree: a function that calls itself has its total once."""
    threads = {}
    for thread, calls in tree().items():
        of_it, stack = threads.setdefault(thread, {}), []
        for name, first, end in calls:
            while stack and stack[-1][1] <= first:
                stack.pop()
            if stack:
                of_it[stack[-1][0]][0] -= end - first
            sums = of_it.setdefault(name, [0, 0])
            sums[0] += end - first
            sums[1] += 0 if name in [name for name, _ in stack] else end - first
            stack.append((name, end))
    return threads


if form == "weights":
    read, wanted = weights(), tree_weights()
    assert read.keys() >= wanted.keys(), (read.keys(), wanted.keys())
    for thread, functions in read.items():
        assert functions == wanted.get(thread, {}), [
            (name, sums, wanted[thread].get(name)) for name, sums in functions.items()
            if sums != wanted[thread].get(name)][:3]
    print(sum(map(len, read.values())), "functions of", len(read), "threads")
    sys.exit()
found, wanted = globals()[form](), tree()
for thread in found.keys() | wanted.keys():
    a, b = found.get(thread, []), wanted.get(thread, [])
    assert a == b, (thread, len(a), len(b), [pair for pair in zip(a, b) if pair[0] != pair[1]][:3])
print(sum(map(len, found.values())), "calls of", len(found), "threads")
