#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A script: its interpreter is recorded, the one of the guest's system.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh")
# script NAME LINE: one that prints what it was given.
script() {
	printf '#!%s\nimport sys\nprint(sys.argv, sys.flags.no_site)\nsys.exit(3)\n' "$2" >"$1"
	chmod +x "$1"
}
script tool ' /usr/bin/python3.13	 -S  '
script finds '/usr/bin/env python3.13'
# What lies in the folder of that name is not the interpreter.
echo nothing >python3.13
chmod +x python3.13
for name in tool finds; do
	run "$WAYMARK" record -L "$sysroot" -o $name.wmk ./$name 'one two' -x
	check "$name: its status" test "$status" -eq 3
	check "$name: nothing is said" test ! -s stderr
done
echo "['./tool', 'one two', '-x'] 1" >want
run "$WAYMARK" record -L "$sysroot" -o tool.wmk ./tool 'one two' -x
same "its interpreter's argument, the script, its own" want stdout
echo "['./finds', 'one two', '-x'] 0" >want
run "$WAYMARK" record -L "$sysroot" -o finds.wmk ./finds 'one two' -x
same "what env finds" want stdout
check "the interpreter's guide is used" sh -c \
	'"$1" info finds.wmk | grep -q "^runtime  *CPython"' - "$WAYMARK"
check "the trace is sound" "$WAYMARK" verify tool.wmk

refused "no sysroot" './tool is a script of python3.13, which is no guest program here: -L SYSROOT *' \
	"$WAYMARK" record ./tool
script other '/bin/no-such'
refused "an interpreter that is not there" './other is a script of no-such, which is not in *' \
	"$WAYMARK" record -L "$sysroot" ./other
script splits '/usr/bin/env -S python3.13 -S'
refused "what env does itself" './splits is a script of env, which is not in *' \
	"$WAYMARK" record -L "$sysroot" ./splits
# The last is longer than what Linux reads of a line.
for line in '' '   ' '/usr/bin/' "$(printf '/%0300d' 1)"; do
	script none "$line"
	refused "\"#!$line\"" './none names no interpreter' "$WAYMARK" record -L "$sysroot" ./none
done
finish
