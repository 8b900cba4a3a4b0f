#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Kills QEMU by SIGKILL at random moments, with the witness beside Waymark's plugin, and
compares what both have of each thread.

usage: kill.py COUNT WITNESS.so PROGRAM...

Each program is run once to its end, to learn how long it takes; the moments are drawn
from that time. Half of the runs are compared by blocks, half by instructions. KILL_SEED:
the seed that a failure names. Prints lines of TAP.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WAYMARK = os.environ["WAYMARK"]
QEMU = os.environ.get("WAYMARK_QEMU", "qemu-riscv64")
HANG_SECONDS = int(os.environ.get("GUARD", "600"))


def start(witness, what, program):
    """A recorder, its witness writing to ./seen."""
    shutil.rmtree("seen", ignore_errors=True)
    os.mkdir("seen")
    plugin = f"{witness},dir={os.getcwd()}/seen,each={what[:-1]},entries=4194304"
    return subprocess.Popen(
        [WAYMARK, "record", "--wait=all", "--qemu", QEMU, "--qemu-arg", "-plugin", "--qemu-arg", plugin,
         "-o", "run.wmk", "--", program],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def emulators(pid):
    """Of `pid` and the processes below it, those that run QEMU."""
    found = []
    try:
        if "qemu" in os.path.basename(os.readlink(f"/proc/{pid}/exe")):
            found.append(pid)
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                for child in map(int, file.read().split()):
                    found += emulators(child)
    except OSError:
        pass  # it has ended
    return found


def finish(process):
    try:
        return process.wait(HANG_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return "hangs"


def compare(what, killed):
    threads = "1000000"  # any number of them may be cut in a block
    result = subprocess.run(
        [sys.executable, f"{HERE}/compare.py", *killed, what, "run.wmk", "seen", threads],
        stdout=subprocess.PIPE, text=True, check=False)
    return result.returncode == 0, result.stdout.strip()


def seconds_of(witness, what, program):
    begin = time.monotonic()
    finish(start(witness, what, program))
    return time.monotonic() - begin


def kill_once(witness, what, program, seconds):
    """None when there was nothing to kill; else whether all is well, and a sentence."""
    process = start(witness, what, program)
    time.sleep(seconds)
    victims = emulators(process.pid)
    try:
        if victims:
            os.kill(random.choice(victims), signal.SIGKILL)
    except ProcessLookupError:
        victims = []  # it has just ended
    status = finish(process)
    if not victims or not os.path.exists("run.wmk"):
        return None
    if status == "hangs":
        return False, "the recorder does not end"
    return compare(what, ["--killed"])


def main(count, witness, *programs):
    seed = int(os.environ.get("KILL_SEED", time.time_ns() % 1000000))
    random.seed(seed)
    plan = [(program, what) for program in programs for what in ("blocks", "insns")]
    seconds = {case: seconds_of(witness, case[1], case[0]) for case in plan}
    counted, failures, tries = 0, 0, 0
    totals = dict.fromkeys(plan, 0)
    while counted < count and tries < 5 * count:
        case = program, what = plan[tries % len(plan)]
        tries += 1
        if os.path.exists("run.wmk"):
            os.unlink("run.wmk")
        moment = random.uniform(0, seconds[case])
        result = kill_once(witness, what, program, moment)
        if result is None:
            continue
        counted += 1
        sound, said = result
        if not sound:
            failures += 1
            print(f"not ok {os.path.basename(program)} by {what}, killed after "
                  f"{moment:.6f} s, KILL_SEED={seed}, number {counted}\n# {said}", flush=True)
        else:
            totals[case] += int(re.match(r"\d+", said).group())
    for (program, what), total in totals.items():
        print(f"ok {os.path.basename(program)} # {total} {what} compared")
    print(f"{'ok' if counted >= count else 'not ok'} {counted} kills in {tries} runs")
    return failures > 0 or counted < count


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
