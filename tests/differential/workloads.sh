#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The real programs of tests/workload.sh. Their short runs have 2 to 35 million blocks, so some
# cross the ends of chunks; tests/long/workloads.sh has runs up to ten times as long.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

for name in $("$SRC/tests/workload.sh" --list); do
	check_workload "$name" riscv64 short
done
exit $((failures > 0))
