#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh - build programs of a foreign test suite for riscv64.
#
# usage: tests/foreign/build.sh rr|qemu SOURCE DIR NAME...
#
# SOURCE is what source.sh prints; the programs become DIR/NAME, static: what they execute
# needs no libraries. Those that are newer than their source and these scripts are left.
# Exit status 1: one of them cannot be built; stderr says why.

set -eu

suite=$1 source=$2 dir=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
exec 9>"$dir/.lock"
flock 9

# A copy, in which rr's tests may be built for any machine.
prepare_rr() {
	code=$dir/.source
	sum=$(sha256sum <"$here/build.sh")
	[ "$(cat "$code/.made_by" 2>/dev/null)" != "$source $sum" ] || return 0
	rm -rf "$code" "$code.new"
	mkdir "$code.new"
	cp "$source"/src/test/*.[ch] "$code.new"
	sed '/#error "Unknown architecture"/d' "$source/src/test/util.h" >"$code.new/util.h"
	# It writes where it runs.
	(cd "$code.new" && PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 \
		"$source/src/generate_syscalls.py" SyscallEnumsForTestsGeneric.generated)
	echo "$source $sum" >"$code.new/.made_by"
	mv "$code.new" "$code"
}

# programs.mk has a rule for each suite.
case $suite in
rr)
	prepare_rr
	code=$dir/.source
	;;
qemu) code=$source/tcg ;;
esac
[ $# -gt 0 ] || exit 0
for name; do
	shift
	set -- "$@" "$dir/$name"
done
exec make -s -k -j "${JOBS:-2}" -f "$here/programs.mk" HERE="$here" CODE="$code" \
	SOURCE="$source" DIR="$dir" "rule=$suite" "$@"
