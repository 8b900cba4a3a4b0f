#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which functions of Python are one method, where each begins, and how often it was called while
# tools of sys.monitoring come and go.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/export/methods
. "$(dirname "$0")/../export/methods"

sysroot=$("$SRC/tests/sysroot.sh")
cat >app.py <<'END'
import sys
def pair(a):
    plus = lambda x: x + a
    minus = lambda x: x - a
    return [plus(1), plus(2), plus(3), minus(1)]
def down(n):
    return n and down(n - 1)
def counter():
    calls = 0
    def on_start(code, offset):
        nonlocal calls
        calls += code.co_name == "down"
    sys.monitoring.use_tool_id(0, "counter")
    sys.monitoring.register_callback(0, sys.monitoring.events.PY_START, on_start)
    sys.monitoring.set_events(0, sys.monitoring.events.PY_START)
    down(5)
    sys.monitoring.set_events(0, 0)
    return calls
def spin():
    while True: pass
def stopped(jumps):
    def on_jump(code, offset, to):
        nonlocal jumps
        jumps -= code.co_name == "spin"
        if not jumps:
            raise KeyError
    sys.monitoring.register_callback(0, sys.monitoring.events.JUMP, on_jump)
    sys.monitoring.set_events(0, sys.monitoring.events.JUMP)
    try:
        spin()
    except KeyError:
        sys.monitoring.set_events(0, 0)
exec("def made(x): return -x")
made(1)
exec("def made(x): return ~x")
made(1)
pair(1)
print(counter(), down(2))
stopped(50)
END
run "$WAYMARK" record -L "$sysroot" -o run.wmk -- python3.13 app.py
echo "6 0" >want
same "the program counts its calls" want stdout

"$WAYMARK" bytecodes run.wmk >listed
check "a RESUME that was instrumented is listed once" \
	test "$(grep -c ' RESUME  *down ' listed)" -eq 9
"$WAYMARK" hot --by method -n 100000 --format csv -f executions,method,source run.wmk |
	grep -E ',(down|made|pair.*|counter|spin),' | sort >got
cat >want <<'END'
1,counter,app.py:8
1,made,<string>:1
1,made,<string>:1
1,pair,app.py:2
1,pair.<locals>.<lambda>,app.py:4
1,spin,app.py:19
3,pair.<locals>.<lambda>,app.py:3
9,down,app.py:6
END
same "methods and their calls" want got
"$WAYMARK" calls -n 100000 --format csv -f calls,function run.wmk |
	sed -n 's/^\([0-9]*\),\(.*\) (\(.*\))$/\1,\2,\3/p' | grep -Fxf want | sort >got
same "the same by calls" want got

# A tree of methods alone: the other calls are not there, and levels are those of methods.
"$WAYMARK" calls --tree --format csv run.wmk >tree
"$WAYMARK" calls --tree --methods --format csv run.wmk >methods
check "a tree of methods" "$PYTHON" "$SRC/tests/cli/calls/methods_facts.py" alone tree methods \
	' \([^()]*(:\d+|>|\.py)\)$'
"$WAYMARK" calls -t -m -F pair -D 2 run.wmk >got
check "its calls and their levels" test "$(grep -c 'lambda.*;$' got)" -eq 4
insns=$("$WAYMARK" info --format json run.wmk |
	"$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["instructions"])')
"$WAYMARK" export folded --methods run.wmk >stacks
check "stacks of methods" "$PYTHON" "$SRC/tests/cli/calls/methods_facts.py" folded tree stacks \
	' \([^()]*(:\d+|>|\.py)\)$' "$insns"
"$WAYMARK" export folded --methods run.wmk --against run.wmk >both
sed -E 's/ ([0-9]+)$/ \1 \1/' stacks >want
same "and against another run" want both
"$WAYMARK" calls -n 100000 --format csv run.wmk >all
"$WAYMARK" calls --methods -n 100000 --format csv run.wmk >got
{ head -n 1 all && grep -E '^"?[^,"]* \([^()]*(:[0-9]+|>|\.py)\)"?,' all; } >want
same "a table of methods" want got
method_forms run.wmk
"$WAYMARK" record -q -o native.wmk "$GUESTS/mutual.O0"
"$WAYMARK" calls --tree --methods native.wmk >got 2>remark
check "a program without any" grep -q 'nothing told of a method of a managed program' remark
"$WAYMARK" hot --by method native.wmk >got 2>remark
check "its functions are no methods" grep -q 'nothing told of a method of a managed program: rows are of native' remark
"$WAYMARK" hot --by method run.wmk >got 2>remark
check "one that has methods" test ! -s remark
# hinted COMMAND...: a remark has the name that is meant.
hinted() { "$WAYMARK" "$@" run.wmk >got 2>remark && grep -q "; did you mean \"$hint\"" remark; }
hint="counter.<locals>.on_start"
check "a method by its last part" hinted hot --by method --function on_start
check "in a table of calls" hinted calls --function on_start
check "in a tree" hinted calls --tree -F on_start
check "a table of native functions has none" sh -c '! "$1" hot --function on_start run.wmk 2>&1 |
	grep -q locals' - "$WAYMARK"

"$WAYMARK" annotate 'pair*' -f executions,text --format csv run.wmk >lines
check "each lambda has its own lines" grep -q '^3,.*plus = lambda' lines
check "the other one, too" grep -q '^1,.*minus = lambda' lines
"$WAYMARK" hot --by bytecode -n 100000 --format csv -f executions,method,opcode run.wmk >opcodes
check "each made function its own code" grep -qx '1,made,UNARY_NEGATIVE' opcodes
check "of two that differ in nothing else" grep -qx '1,made,UNARY_INVERT' opcodes

# A bytecode that jumps to itself is executed each time.
check "a loop of one bytecode" test "$(grep -c ' JUMP_BACKWARD  *spin ' listed)" -eq 50
"$WAYMARK" annotate spin -f executions,disassembly --format csv run.wmk >annotated
check "is counted whole" grep -q '^50,JUMP_BACKWARD' annotated

finish
