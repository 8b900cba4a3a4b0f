#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that tidy their folder, and the trace with it: a loss is told.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o tidy "$SRC/tests/cli/record/tidy.c"

run "$WAYMARK" record -o run.wmk ./tidy run.wmk remove
check "removed: the program's own status" test "$status" -eq 0
check "removed: it is told" \
	grep -qx 'waymark: run.wmk was removed or replaced while .*: the trace is lost' stderr
run "$WAYMARK" record --strict -o run.wmk ./tidy run.wmk remove
check "removed, --strict" test "$status" -eq 2

run "$WAYMARK" record --strict -o run.wmk ./tidy run.wmk empty
check "emptied, --strict" test "$status" -eq 2
check "emptied: it is told" grep -qx 'waymark: run.wmk was overwritten while .*: the trace is lost' stderr
rm -f run.wmk

run "$WAYMARK" record --strict -o run.wmk ./tidy run.wmk move
check "moved: nothing is lost" test "$status" -eq 0 -a ! -s stderr
check "moved: it is complete" "$WAYMARK" verify moved.wmk
finish
