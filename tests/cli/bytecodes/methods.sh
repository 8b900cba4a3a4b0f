#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which functions of Python are one method, where each begins, and how often it was called.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh")
cat >app.py <<'END'
def pair(a):
    plus = lambda x: x + a
    minus = lambda x: x - a
    return [plus(1), plus(2), plus(3), minus(1)]
exec("def made(x): return -x")
made(1)
exec("def made(x): return ~x")
made(1)
print(pair(1))
END
run "$WAYMARK" record -L "$sysroot" -o run.wmk -- python3.13 app.py
echo "[2, 3, 4, 0]" >want
same "the program prints what it does without" want stdout

"$WAYMARK" hot --by method -n 100000 --format csv -f executions,method,source run.wmk |
	grep -E ',(made|pair.*),' | sort >got
cat >want <<'END'
1,made,<string>:1
1,made,<string>:1
1,pair,app.py:1
1,pair.<locals>.<lambda>,app.py:3
3,pair.<locals>.<lambda>,app.py:2
END
same "methods and their calls" want got
"$WAYMARK" calls -n 100000 --format csv -f calls,function run.wmk |
	sed -n 's/^\([0-9]*\),\(.*\) (\(.*\))$/\1,\2,\3/p' | grep -Fxf want | sort >got
same "the same by calls" want got

"$WAYMARK" annotate 'pair*' -f executions,text --format csv run.wmk >lines
check "each lambda has its own lines" grep -q '^3,.*plus = lambda' lines
check "the other one, too" grep -q '^1,.*minus = lambda' lines
"$WAYMARK" hot --by bytecode -n 100000 --format csv -f executions,method,opcode run.wmk >opcodes
check "each made function its own code" grep -qx '1,made,UNARY_NEGATIVE' opcodes
check "of two that differ in nothing else" grep -qx '1,made,UNARY_INVERT' opcodes

finish
