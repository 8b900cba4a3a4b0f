#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# versions.sh - run tests under another version of QEMU.
#
# usage: tests/versions.sh VERSION WORD...
#
# Runs what tests/run.sh finds for the words, with a QEMU of VERSION first in PATH, and
# prints a line for each script. Called by tests, with what tests/run.sh exports.

set -eu

: "${SRC:?run me through tests/run.sh}" "${BUILD:?}"
version=$1
shift

status=0
qemu=$("$SRC/tests/qemu.sh" "$version" 2>setup) || status=$?
case $status in
0) ;;
1)
	echo "ok QEMU $version # SKIP $(tail -n 1 setup)"
	exit 0
	;;
*)
	echo "not ok QEMU $version"
	sed 's/^/# /' setup
	exit 1
	;;
esac

JOBS=1 WAYMARK_QEMU=$qemu PATH=$(dirname "$qemu"):$PATH \
	"$SRC/tests/run.sh" "$BUILD" "$@" >results 2>&1 || status=$?
sed -n "s/^passed \([^ ]*\) .*/ok \1 under QEMU $version/p
	s/^FAILED \([^ ]*\) .*/not ok \1 under QEMU $version/p
	/^    /s/^/#/p" results
[ "$status" -eq 0 ] || tail -n 1 results | sed 's/^/# /'
exit "$status"
