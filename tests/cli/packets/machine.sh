#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A process of a machine (tests/unit/make_trace.c) as packets: what its threads ran while they
# were of it, and not what they ran before they executed its program.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

"$BUILD/tests/unit/make_trace" machine.wmk machine

# addresses FILE WORD...: of the instructions that these options select.
addresses() {
	"$WAYMARK" insns "$@" --no-events --format csv 2>/dev/null | cut -d, -f2
}

for format in etrace ntrace; do
	for process in sh ls; do
		"$WAYMARK" packets --format $format --process $process -o packets \
			machine.wmk 2>sums
		"$WAYMARK" import $format packets --code machine.wmk -o back.wmk 2>/dev/null
		addresses machine.wmk --process $process >wanted
		addresses back.wmk >got
		same "$format, $process: its instructions alone" wanted got
		check "$format, $process: the sum is theirs" \
			grep -q "^waymark: machine.wmk: $(($(wc -l <wanted) - 1)) instructions," sums
	done
done
run "$WAYMARK" packets --thread sh machine.wmk
check "a thread of two processes is refused" [ "$status" -eq 2 ]
check "and what to do is said" grep -q 'several processes.*--process' stderr
finish
