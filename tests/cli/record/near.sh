#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# QEMU's translated code can call the plugin directly, which on x86_64 needs less than 2 GiB
# between them: otherwise each callback takes half as long again.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

for how in "" "--mem"; do
	rm -f input
	mkfifo input
	# shellcheck disable=SC2086 # it may be empty
	"$WAYMARK" record $how -o run.wmk "$GUESTS/echo.O3" <input >said 2>stderr &
	guest=$!
	exec 3>input
	until_true grep -q rwxp "/proc/$guest/maps"
	check "the plugin is near translated code${how:+ with $how}" \
		"$PYTHON" "$SRC/tests/cli/record/near.py" "/proc/$guest/maps"
	exec 3>&-
	wait $guest
	check "the recording is complete${how:+ with $how}" "$WAYMARK" verify run.wmk
done
finish
