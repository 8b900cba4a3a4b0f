#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Code that Mono makes has the names of the map that it writes for perf, without a guide, and
# methods are called as often as the program calls them.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

sysroot=$("$SRC/tests/sysroot.sh" mono)
mcs=$sysroot/usr/lib/mono/4.5/mcs.exe
# Mono looks for its configuration by where its program is, not where Debian has it; without one it
# finds no file.
export MONO_CFG_DIR="$sysroot/etc"
cp "$SRC/tests/guests/csharp/Fib.cs" .
qemu-aarch64 -L "$sysroot" "$sysroot/usr/bin/mono-sgen" "$mcs" -out:Fib.exe Fib.cs \
	</dev/null

run "$WAYMARK" record -L "$sysroot" -o run.wmk -- "$sysroot/usr/bin/mono-sgen" --jitmap Fib.exe
check "the program ran" grep -qx 6765 stdout
rm -f "/tmp/perf-$("$WAYMARK" info run.wmk --format json | "$PYTHON" -c 'if True:
	import json, sys
	print(json.load(sys.stdin)["threads"][0]["tid"])').map"
"$WAYMARK" hot run.wmk --format csv -f executions,function,module >hot
check "hot: as often as it is called" grep -qx '21891,Fib:Slow (int),\[jit\]' hot
"$WAYMARK" calls run.wmk --format csv -f calls,function >calls
check "calls: of Slow" grep -qx '21891,Fib:Slow (int)' calls
check "calls: of Main" grep -qx '1,Fib:Main ()' calls
"$WAYMARK" report run.wmk -o run.html
check "the report names it" grep -qF 'Fib:Slow (int)' run.html
"$WAYMARK" verify run.wmk >verified
check "the trace is sound" grep -q 'complete and sound' verified
finish
