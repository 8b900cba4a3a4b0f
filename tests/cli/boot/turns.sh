#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Times of calls of a kernel's thread (tests/unit/make_trace.c): it begins when a hart turns to
# it, and time in which it waits is that of the call that waits.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$BUILD/tests/unit/make_trace" boot.wmk boot
"$WAYMARK" boot --format csv boot.wmk | grep ',init,' >got
echo 2005.004000,2995.000000,2,init,wait_for_completion >wanted
same "the call begins at 2 s and waits until 5 s" wanted got
finish
