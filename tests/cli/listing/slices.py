# SPDX-License-Identifier: GPL-2.0-or-later
import subprocess, sys
waymark, command, form = sys.argv[1:]
def listing(*options):
    words = [waymark, command, *options, "--format", form, "--no-events", "run.wmk"]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
whole = listing().splitlines(keepends=True)
total = len(whole)
for first in {0, 1, 2, 3, 17, *range(100, 110), total // 2, total - 7, total - 1, total}:
    for count in 0, 1, 7, 1000, 10**18:
        got = listing("--from", str(first), "--count", str(count))
        assert got == b"".join(whole[first:first + count]), (first, count, total)
