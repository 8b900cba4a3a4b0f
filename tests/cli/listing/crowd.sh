#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hundreds of processes that ran at the same time, in one listing: each one's lines are those
# it has alone, and memory does not grow with their number.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

MOST_KB=262144

"$WAYMARK" record -o crowd.wmk "$GUESTS/processes/crowd.O3" 300 >/dev/null 2>&1

cp "$SRC/tests/cli/listing/crowd.py" .
run "$PYTHON" crowd.py "$WAYMARK" "$MOST_KB"
check "300 processes in order: $(cat stdout stderr)" test "$status" -eq 0
exit $((failures > 0))
