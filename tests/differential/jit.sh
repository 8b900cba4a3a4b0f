#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that write code, and write other code over it later. (tests/long has the big ones.)

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

for name in luajit grep; do
	check_workload "$name" jit
	# Blocks that lie in no file are the program's own work.
	if "$WAYMARK" blocks run.wmk | awk '$3 == "-" { n++ } END { exit n < 1000 }'; then
		passed "$name runs what it wrote" ""
	else
		failed "$name runs what it wrote" "no blocks outside of files"
	fi
done
exit $((failures > 0))
