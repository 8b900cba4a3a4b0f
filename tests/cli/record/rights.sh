#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program that has become another user may not open the recorder's memory any more. What it executes
# is recorded all the same, and finds no descriptor that it would not have without Waymark.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

qemu=${WAYMARK_QEMU:-qemu-riscv64}
other="setpriv --reuid 12345 --regid 12345 --clear-groups"
# shellcheck disable=SC2086 # words
if ! $other true 2>/dev/null; then
	echo "ok another user's programs # SKIP there is no other user"
	exit 0
elif ! $other test -x "$(command -v "$qemu")" -a -r "$BUILD/libwaymark-v1.so"; then
	echo "ok another user's programs # SKIP QEMU or the build is closed to other users"
	exit 0
fi

# The folders of tests are closed to other users.
open=$(mktemp -d)
trap 'rm -rf "$open"' EXIT
chmod 711 "$open"
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -static -o "$open/rights" \
	"$SRC/tests/cli/record/rights.c"

# processes FILE: how many there are.
processes() {
	"$WAYMARK" info --format json "$1" |
		"$PYTHON" -c 'import json, sys; print(len(json.load(sys.stdin)["processes"]))'
}

"$qemu" "$open/rights" >bare || true
descriptors=$(sed 's/.*: //' bare)
for which in all effective; do
	run "$WAYMARK" record --strict -o $which.wmk -- "$open/rights" 5 $which
	case $which in
	all) who="12345 12345" ;;
	*) who="0 12345" ;;
	esac
	check "$which: the status" test "$status" -eq 3
	check "$which: nothing is said" test ! -s stderr
	check "$which: who it is, and its descriptors" test "$(cat stdout)" = "$who: $descriptors"
	# Five execve(), two of them in forked children.
	check "$which: all are recorded" test "$(processes $which.wmk)" -eq 8
	check "$which: the trace is complete" "$WAYMARK" verify -q $which.wmk
done

# What the real user may execute, and the effective one may not.
install -m 700 "$open/rights" "$open/closed"
run "$WAYMARK" record -o closed.wmk -- "$open/rights" 1 effective "$open/closed"
check "a program that is closed to it: the status" test "$status" -eq 99
check "and why" grep -qx "$open/closed: Permission denied" stderr

finish
