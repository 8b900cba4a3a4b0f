#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Other releases of the runtimes that guides know: of OpenJDK what the tests of bytecodes find of
# 21, of Node.js what its test finds of 20, of CPython each bytecode as sys.monitoring says, and what a loop and a branch pass over.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

# passes SYSROOT SCRIPT...: the scripts of tests/cli with the runtime that it has.
passes() {
	name=$1
	shift
	"$SRC/tests/sysroot.sh" "$name" >path
	status=0
	JDK=$name NODE=$name JOBS=1 "$SRC/tests/run.sh" "$BUILD" "$@" >results 2>&1 || status=$?
	check "$name" test "$status" -eq 0
	tail -n 1 results | sed "s/^/# $name: /"
	grep '^    ' results | sed 's/^/# /'
}
for jdk in java-17 java-25; do
	passes $jdk =cli/bytecodes/java.sh =cli/bytecodes/tiers.sh =cli/bytecodes/java-gaps.sh \
		=cli/bytecodes/java-jumps.sh =cli/bytecodes/handles.sh
done
passes node-new =cli/record/node.sh

cat >loops.py <<'END'
def loops():
    n = 0
    for x in [1, 2, 3]:
        if x > 1:
            n += 1
    for x in (y for y in (1, 2)):
        n += x
    return n
print(loops())
END
bytecodes=$SRC/tests/cli/bytecodes
python=$SRC/tests/guests/python
for release in 3.14 3.15; do
	check "$release: operands" env RELEASE=$release JOBS=1 \
		"$SRC/tests/run.sh" "$BUILD" =cli/bytecodes/python-operands.sh
	sysroot=$("$SRC/tests/sysroot.sh" "python-$release")
	program=$sysroot/usr/bin/python$release
	rm -rf monitored
	mkdir monitored
	"$WAYMARK" record -q -L "$sysroot" -o run.wmk -- "$program" "$python/witness.py" \
		monitored "$python/mixed.py" >stdout
	for thread in 0 1 2 3; do
		"$WAYMARK" bytecodes --thread "$thread" run.wmk |
			"$PYTHON" "$bytecodes/python_facts.py" "monitored/thread-$thread" >facts
		check "$release: all bytecodes of thread $thread" grep -q "^the same" facts
		sed 's/^/# /' facts
	done
	"$WAYMARK" record -q -L "$sysroot" -o loops.wmk -- "$program" loops.py >stdout
	"$WAYMARK" annotate loops loops.wmk >listed
	# ran OPCODE: how often its places were executed, taken and not taken.
	ran() { awk -v opcode="$1" 'index($0, " " opcode " ") { print $1, $3, $4 }' listed | xargs; }
	check "$release: loops" test "$(ran FOR_ITER)" = "4 1 3 3 1 2"
	check "$release: a branch" test "$(ran POP_JUMP_IF_TRUE)$(ran POP_JUMP_IF_FALSE)" = "3 2 1"
	check "$release: what it passes over" test "$(ran NOT_TAKEN | cut -d ' ' -f 1)" = 0
done
finish
