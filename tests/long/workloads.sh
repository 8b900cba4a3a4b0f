#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The real programs of tests/workload.sh, at the size for checking.

# shellcheck source=tests/differential/common
. "$SRC/tests/differential/common"

for name in $("$SRC/tests/workload.sh" --list); do
	check_workload "$name" riscv64
done
exit $((failures > 0))
