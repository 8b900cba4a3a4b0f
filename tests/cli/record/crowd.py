#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Records a crowd (tests/guests/threads/crowd.c) and looks whether all of it is in the trace,
and what memory the recorder had.

usage: crowd.py WAYMARK GUEST MOST PROCESSES THREADS ROUNDS STEPS [OPTION...]

MOST: bytes that the recorder may have, its shared memory with it. OPTIONs are for `record`.
Prints what it found; exit status 1 when something is missing, or too much.
"""

import csv
import json
import os
import subprocess
import sys
import time

TRACE = "crowd.wmk"
POLL_SECONDS = 0.02


def is_recorder(waymark, pid):
    """Whether it is the command, and works here: this folder is ours alone."""
    try:
        return os.path.samefile(f"/proc/{pid}/exe", waymark) and os.path.samefile(
            f"/proc/{pid}/cwd", "."
        )
    except OSError:
        return False


def peak_of(pid):
    """The most memory it had so far, or 0 when it is no more. It only grows."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def peak_here(waymark):
    """That of the recorder, which is not the process that was started: that is QEMU."""
    pids = [pid for pid in os.listdir("/proc") if pid.isdigit()]
    return max((peak_of(pid) for pid in pids if is_recorder(waymark, pid)), default=0)


def record(waymark, command):
    """The recorder's exit status, and the most memory it was seen to have."""
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as guest:
        while guest.poll() is None:
            peak = max(peak, peak_here(waymark))
            time.sleep(POLL_SECONDS)
    return guest.returncode, peak


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def missing(info, threads, rounds, steps):
    """What the threads of the trace lack: each made its steps, a block each."""
    processes = {}
    for thread in info["threads"]:
        processes.setdefault(thread["process"], []).append(thread)
    for index, mine in processes.items():
        blocks = sorted(t["blocks"] for t in mine if t["vcpu"])
        if len(blocks) != threads * rounds:
            yield f"process {index} has {len(blocks)} threads"
        for number, executed in enumerate(blocks):
            if executed < steps + number // rounds:
                yield f"process {index}: a thread has {executed} blocks only"


def faults(waymark, most, peak, numbers):
    processes, threads, rounds, steps = numbers
    info = json.loads(output_of(waymark, "info", TRACE, "--format", "json"))
    rows = csv.DictReader(
        output_of(waymark, "annotate", "step", TRACE, "--format", "csv").splitlines()
    )
    made = max(int(row["executions"]) for row in rows)
    wanted = processes * rounds * (threads * steps + threads * (threads - 1) // 2)
    if not info["complete"]:
        yield f"not complete: {info['cut']}"
    if len({t["process"] for t in info["threads"]}) != processes:
        yield "processes are missing"
    yield from missing(info, threads, rounds, steps)
    if made != wanted:
        yield f"{made} steps instead of {wanted}"
    if peak > most:
        yield f"the recorder had {peak} bytes, {most} were allowed"


def main():
    waymark, guest, most, *numbers = sys.argv[1:8]
    command = [waymark, "record", "-o", TRACE, *sys.argv[8:], "--", guest, *numbers]
    status, peak = record(waymark, command)
    if status or not peak:
        print(f"record ends with {status}, the recorder had {peak} bytes")
        return 1
    found = list(faults(waymark, int(most), peak, list(map(int, numbers))))
    print(f"{peak >> 20} MiB at most, {os.path.getsize(TRACE)} bytes", *found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
