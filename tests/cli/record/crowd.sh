#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Very many threads are recorded whole, in little memory: all at once, one after the other,
# and in many processes; and when the recorder is given as little memory as may be.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/crowd
. "$(dirname "$0")/../crowd"

LEAST=96000000

# What a thread may have at hand beyond the bound: two segments of its ring, and the pages that
# they begin and end in.
AHEAD=$((2 * 16384 + 2 * 4096))

# at_once THREADS: the least bound, and what that many threads may have at hand.
at_once() { echo $((LEAST + $1 * AHEAD)); }

# What a thread of 10,000 blocks costs is kilobytes: 40 of ids, on either side.
crowd "1,000 threads at once" 150000000 1 1000 1 10000
crowd "1,000 threads at once, the least memory" "$(at_once 1000)" 1 1000 1 10000 \
	--memory 96M
crowd "1,000 threads that run on, the least memory" "$(at_once 1000)" 1 1000 1 60000 --memory 96M
crowd "3,000 threads, one after the other" $LEAST 1 1 3000 10 --memory 96M
crowd "3,000 threads, 20 at once" $LEAST 1 20 150 1000
crowd "8 processes of 200 threads" "$(at_once 1600)" 8 200 1 20000 --memory 96M

for wrong in 95M 0 x '' -1; do
	misused "--memory $wrong" '--memory takes a size of 96M or more*' \
		"$WAYMARK" record --memory "$wrong" -o crowd.wmk "$GUESTS/tight.O3"
done
finish
