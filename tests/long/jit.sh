#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Chez Scheme and Node.js, which run a hundred million blocks before they begin.

# shellcheck source=tests/differential/common
. "$SRC/tests/differential/common"

for name in chez node; do
	check_workload "$name" jit
done
exit $((failures > 0))
