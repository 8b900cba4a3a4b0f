#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Operands of CPython's bytecodes by name: each line of each function as Python's dis has it.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# RELEASE: of another Python, as of tests/long/releases.sh.
release=${RELEASE:-3.13}
if [ -n "${RELEASE-}" ]; then
	sysroot=$("$SRC/tests/sysroot.sh" "python-$release")
else
	sysroot=$("$SRC/tests/sysroot.sh")
fi
program=$sysroot/usr/bin/python$release
guests=$SRC/tests/guests/python

# Operands of more than a byte, and variables that two of do not fit into one.
cat "$guests/operands.py" >operands.py
awk 'BEGIN {
	printf "\n\ndef wide("
	for (i = 0; i < 20; i++)
		printf "v%d=0, ", i
	print "**more):"
	for (i = 0; i < 300; i++)
		printf "    g%d = v%d + %d.5\n", i, i % 20, i
	print "    while g299 < 400:"
	for (i = 0; i < 299; i++)
		printf "        g299 += g%d\n", i
	print "    return g299\n\n\nprint(wide())"
}' >>operands.py

export PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
"$QEMU" -L "$sysroot" "$program" operands.py >want
"$QEMU" -L "$sysroot" "$program" "$guests/dis_witness.py" operands.py >named
run "$WAYMARK" record -q -L "$sysroot" -o run.wmk -- "$program" operands.py
same "the program prints what it does without" want stdout
check "its status is its own" test "$status" -eq 0
"$WAYMARK" annotate --format csv -f place,disassembly,path '*' run.wmk |
	PYTHONIOENCODING=utf-8 "$PYTHON" "$(dirname "$0")/operands_facts.py" methods named '/operands\.py$' >listed
check "each line as dis has it" grep -qE '^[3-5][0-9] methods, [0-9]{4} bytecodes, 0 differ$' listed
sed 's/^/# /' listed

# The sequence has the same texts, if they are asked for.
"$WAYMARK" annotate --format csv -f place,disassembly texts run.wmk | tr -d '"\r' |
	sed '1d; s/[^ ,]*,//' | sort -u >wanted
"$WAYMARK" bytecodes --operands --function texts --format csv run.wmk | tr -d '"\r' |
	sed '1d' | cut -d , -f 5,9- | sed 's/,/ /; s/ *$//' | sort -u >got
same "bytecodes --operands" wanted got
"$WAYMARK" bytecodes --operands --function numbers run.wmk >lines
check "as text" grep -qE ' +[0-9]+ +[24]  LOAD_FAST[A-Z_]* n {10,}numbers  .*operands.py:[0-9]+$' lines
"$WAYMARK" bytecodes --function numbers run.wmk >lines
check "only if they are" grep -qE ' +[0-9]+ +[24]  LOAD_FAST[A-Z_]* +numbers  .*operands.py:[0-9]+$' lines

finish
