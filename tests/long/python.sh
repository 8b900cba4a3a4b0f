#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of CPython's own suite by its guide: they pass, the trace is sound, all code has names.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

sysroot=$("$SRC/tests/sysroot.sh" suite)
run "$WAYMARK" record -q -L "$sysroot" -o run.wmk -- "$sysroot/usr/bin/python3.13" \
	-m unittest test.test_textwrap test.test_bisect
check "the tests pass" test "$status" -eq 0
check "they ran" grep -qE '^Ran [0-9]{2,} tests' stderr
check "the trace is sound" "$WAYMARK" verify -q run.wmk
"$WAYMARK" hot --by method --format csv -f insns,method -n 10000000 run.wmk >methods
check "99 % has names" awk -F, \
	'{ all += $1 } $2 ~ /^"?\[/ { bare += $1 } END { exit !all || bare > all / 100 }' methods
check "tests are methods" grep -q ',BaseTestCase.check_wrap' methods
finish
