#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Times of a kernel's threads (tests/unit/make_trace.c): one begins when a hart turns to it, and
# goes on after a switch when a hart turns to it again.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$BUILD/tests/unit/make_trace" boot.wmk boot
"$WAYMARK" boot --format csv boot.wmk | grep ',init,' >got
echo 2005.004000,2995.000000,2,init,wait_for_completion >wanted
same "a call begins at 2 s and waits until 5 s" wanted got

"$WAYMARK" blocks --interleave --format csv --no-events boot.wmk 2>/dev/null |
	sed 1d | cut -d, -f1 | tr -d '\n' >got
printf 00110011 >wanted
same "threads of one hart run one after the other" wanted got
finish
