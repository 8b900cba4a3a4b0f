# SPDX-License-Identifier: GPL-2.0-or-later
import collections, os, resource, subprocess, sys
waymark, most_kb = sys.argv[1:]
def listing(*options):
    words = [waymark, "blocks", "crowd.wmk", "--format", "csv", *options]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL).stdout.splitlines()
own = collections.defaultdict(list)
for line in listing("--interleave")[1:]:
    thread, rest = line.split(",", 1)
    own[thread].append(rest)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(len(own), "threads,", peak, "kB")
if len(own) < 200 or peak > int(most_kb):
    sys.exit(1)
for thread in list(own)[::29]:
    if own[thread] != listing("--thread", thread)[1:]:
        sys.exit(f"thread {thread} has other lines alone")
