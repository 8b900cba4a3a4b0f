#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Answers computed by several processes, which exchange states as bytes, are those of one:
# every analysis, of recordings with many small chunks and of each released format.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

tools=$BUILD/tests/unit

# record NAME BLOCKS GUEST...: in chunks of so many blocks
record() {
	name=$1 blocks=$2
	shift 2
	"$WAYMARK" record -L /usr/riscv64-linux-gnu -o long.wmk "$@" >/dev/null
	"$tools/rechunk" long.wmk "$name.wmk" "$blocks"
}

record signals 6000 "$GUESTS/signal.O3"
check "signals" "$tools/spread" signals.wmk
record longjmp 20000 "$GUESTS/longjmp.O0"
check "longjmp" "$tools/spread" longjmp.wmk
record threads 900 "$GUESTS/threads/names.O3"
check "threads" "$tools/spread" threads.wmk
"$WAYMARK" record --mem --last=256k -o churn.wmk "$GUESTS/churn.O0" >/dev/null
check "accesses" "$tools/spread" churn.wmk
for version in v1 v2 v3; do
	check "$version" "$tools/spread" "$SRC/tests/golden/$version.wmk"
done
exit $((failures > 0))
