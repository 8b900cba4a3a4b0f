#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# LuaJIT by its guide: traces have the names and lines of what they were compiled from.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/export/methods
. "$(dirname "$0")/../export/methods"

sysroot=$("$SRC/tests/sysroot.sh" jit)
cat >app.lua <<'LUA'
local function roots(n)
	local s = 0
	for i = 1, n do s = s + math.sqrt(i) end
	return s
end
local ok = pcall(error, "x")
print(roots(50000), ok, #arg, arg[1], os.getenv("LUA_INIT"))
os.exit(4)
LUA

run "$WAYMARK" record -L "$sysroot" -o run.wmk -- "$sysroot/usr/bin/luajit" app.lua one
cp stdout got
run "$QEMU" -L "$sysroot" "$sysroot/usr/bin/luajit" app.lua one
same "the program prints what it does without" stdout got
check "and its status is its own" test "$status" -eq 4
check "the trace is sound" "$WAYMARK" verify -q run.wmk

# A script on its standard input; a variable of the user's own stays.
echo 'print("read", ...)' >read.lua
run sh -c '"$WAYMARK" record -L "$1" -o in.wmk -- "$1/usr/bin/luajit" <read.lua' - "$sysroot"
check "standard input is read" grep -qx read stdout
run env LUA_INIT='print("mine")' "$WAYMARK" record -L "$sysroot" -o in.wmk -- \
	"$sysroot/usr/bin/luajit" -e 'print(1)'
printf 'mine\n1\n' >want
same "the user's variable counts" want stdout
check "and the guide's is told of" grep -q 'needs the variable LUA_INIT, which is set, so it is left out' stderr

# A loop is compiled after some 60 rounds, and all others run in its trace.
"$WAYMARK" hot --by line --format csv -f line,executions,function run.wmk | tr -d '\r"' |
	grep '^app.lua:3,[0-9]*,TRACE:' >got
check "the loop's trace has its line and its rounds" \
	sh -c 'n=$(cut -d, -f2 got | sort -n | tail -n 1) && test "$n" -gt 49800 -a "$n" -le 50000'
"$WAYMARK" hot --by method --format csv -f method,source,executions,optimised run.wmk |
	tr -d '\r"' | grep '^(anonymous),app.lua:1,' >got
check "its function is a method" test "$(cut -d, -f4 got)" -gt 100000
"$WAYMARK" hot --by method --format csv -f method,source,executions,optimised run.wmk \
	--function '(anonymous)' | tr -d '\r"' >only
check "it is found as it is shown" grep -qx "$(cat got)" only
"$WAYMARK" annotate '(anonymous)' run.wmk --format csv -f function,executions | tr -d '\r"' >listed
check "by annotate, too" grep -q '^TRACE:.*app.lua:1,' listed
"$WAYMARK" calls --format csv -f function run.wmk | tr -d '"' | grep -c '^TRACE:' >got
check "calls have traces" test "$(cat got)" -ge 1

# Coroutines, errors, side traces and their exits: what is compiled ran in the interpreter's place.
cat >jumpy.lua <<'LUA'
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
local function fails(n) if n % 5 == 0 then error({ n }) end return n end
local s = 0
for i = 1, 400 do
	local ok, v = pcall(fails, i)
	s = s + (ok and v or v[1] * 2)
end
for i in coroutine.wrap(function() for i = 1, 400 do coroutine.yield(i) end end) do s = s + i end
print(fib(16), s)
LUA
"$WAYMARK" record -L "$sysroot" -o jumpy.wmk -- "$sysroot/usr/bin/luajit" jumpy.lua >out
"$WAYMARK" calls --tree --format csv jumpy.wmk >tree
check "no stack begins anew" sh -c '! grep -q ",origin," tree'
check "and none grows by traces that follow each other" \
	awk -F, '$4 + 0 > 100 { exit 1 }' tree
"$WAYMARK" calls --tree --methods --format csv jumpy.wmk >methods
check "a tree of traces" "$PYTHON" "$SRC/tests/cli/calls/methods_facts.py" \
	alone tree methods '^TRACE:.*:\d+$'
method_forms jumpy.wmk
check "exits have names" grep -q '^[0-9]*,entry,.*TRACE:.* \[exits\]' tree
finish
