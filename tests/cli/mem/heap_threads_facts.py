# SPDX-License-Identifier: GPL-2.0-or-later
"""heap_threads_facts.py FEW MANY: memory of `mem --by object`, of few and of many threads.

Threads that were decoded at once took 8 MiB each."""
import os
import resource
import subprocess
import sys

peaks = []
for trace in sys.argv[1:]:
    subprocess.run([os.environ["WAYMARK"], "mem", "-j", "1", "--by", "object", "--format", "csv",
                    trace], check=True, stdout=subprocess.DEVNULL)
    # Of all children so far, so the small one comes first.
    peaks.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
if peaks[1] - peaks[0] > 32 << 10:
    sys.exit(f"{peaks[0]} kB, and {peaks[1]} kB of more threads")
