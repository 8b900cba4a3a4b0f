#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What CPython executes, by its guide: each bytecode of each thread, as sys.monitoring says
# in the same run. The program has threads, generators, exceptions, coroutines and classes.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh")
python=$SRC/tests/guests/python

mkdir monitored
run "$WAYMARK" record --guide cpython -L "$sysroot" -o run.wmk -- \
	python3.13 "$python/witness.py" monitored "$python/mixed.py"
check "the program ends well" test "$status" -eq 0
for thread in 0 1 2 3; do
	"$WAYMARK" bytecodes --thread "$thread" run.wmk |
		"$PYTHON" "$(dirname "$0")/python_facts.py" "monitored/thread-$thread" >facts
	check "all bytecodes of thread $thread" grep -q "^the same" facts
	cat facts
done

# Without a witness bytecodes are specialised, and some do the work of two.
"$WAYMARK" record -q --guide cpython -L "$sysroot" -o plain.wmk -- \
	python3.13 "$python/mixed.py" >stdout
"$WAYMARK" bytecodes plain.wmk >listed
check "what a specialised one swallowed is inferred" \
	grep -qE '[0-9]+~ STORE_FAST +strings .*mixed.py:52' listed
"$WAYMARK" cfg --method '*' plain.wmk >graphs
check "a frame that is entered is left, also by what is thrown" \
	"$PYTHON" "$(dirname "$0")/graph_facts.py" flow graphs

# Each interpreter of a program has code of its own.
cat >several.py <<END
import _interpreters, threading
def run(text):
    made = _interpreters.create()
    _interpreters.exec(made, text)
    _interpreters.destroy(made)
text = "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(8)"
run(text)
thread = threading.Thread(target=run, args=(text.replace("fib", "fob"),))
thread.start()
thread.join()
END
run "$WAYMARK" record -q --guide cpython -L "$sysroot" -o several.wmk -- python3.13 several.py
check "the program has several interpreters" test "$status" -eq 0
"$WAYMARK" hot --by method --format csv -f executions,method several.wmk | tr -d '\r' >several
check "calls of each" test "$(grep -c '^67,f[io]b$' several)" -eq 2

# Tables: all instructions are in each of them, and all bytecodes.
cat >fib.py <<END
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(12))
END
"$WAYMARK" record -q --guide cpython -L "$sysroot" -o fib.wmk -- python3.13 fib.py >stdout
bytecodes=$("$WAYMARK" bytecodes fib.wmk | wc -l)
insns=$("$WAYMARK" info --format json fib.wmk | "$PYTHON" -c '
import json, sys
print(json.load(sys.stdin)["instructions"])')
# sum COLUMN: of a table as CSV, whose columns are numbers up to that one.
sum() { awk -F, -v column="$1" 'NR > 1 { sum += $column } END { printf "%.0f", sum }'; }
for by in bytecode source method; do
	"$WAYMARK" hot --by $by --format csv fib.wmk >by-$by
	check "by $by: all instructions" test "$(sum 1 <by-$by)" -eq "$insns"
done
check "by bytecode: all of them" test "$(sum 4 <by-bytecode)" -eq "$bytecodes"
check "by source: all of them" test "$(sum 5 <by-source)" -eq "$bytecodes"
"$WAYMARK" hot --by method --format csv -f executions,method,source fib.wmk >calls
check "a method's calls" grep -qx '465,fib,fib.py:1' calls
check "the bytecode of a call" sh -c '"$1" hot --by bytecode fib.wmk | grep -q " 232  *fib  *36  *CALL  *fib.py:2$"' - "$WAYMARK"
# What ran before the first bytecode, and threads that have none, are native functions.
first=$("$WAYMARK" bytecodes -n 1 fib.wmk | awk '{ print $1 }')
"$WAYMARK" hot --by method --to "$first" -n 100000 --format csv -f insns,method fib.wmk | sort >got
"$WAYMARK" hot --no-inline --to "$first" -n 100000 --format csv -f insns,function fib.wmk |
	sed '1s/function/method/' | sort >wanted
same "native functions before any method" wanted got
"$WAYMARK" hot --by method -n 100000 --format csv -f insns,method fib.wmk >names
check "a ten-thousandth has no name at most" test \
	"$(awk -F, '$2 ~ /^\[/ { n += $1 } END { print 10000 * n }' names)" -le "$insns"
for by in method bytecode source; do
	"$WAYMARK" hot --by $by --function 'fi?' --format csv -f method fib.wmk | tr -d '\r' |
		sed 1d | sort -u >wanted
	check "--by $by --function" test "$(cat wanted)" = fib
done

# By threads, processes and parts: the same bytes.
mkdir forked
ln "$WAYMARK" forked/waymark 2>/dev/null || cp "$WAYMARK" forked/waymark
ln -s "$BUILD/tests/unit/forked-team.so" forked/waymark-mpi.so
cat >questions <<END
hot --by bytecode fib.wmk
hot --by source fib.wmk
cfg --method fib --format dot fib.wmk
calls --format folded --against fib.wmk fib.wmk
END
TABLE=questions RANKS=2 PARTS=2 "$PYTHON" "$SRC/tests/cli/merge/every.py" "$WAYMARK" \
	./forked/waymark || failures=1

# Each instruction and each block says which bytecode it is of: the sums are those of `hot`.
from=$("$WAYMARK" bytecodes fib.wmk | grep ' fib ' | awk 'NR == 100 { print $1 }')
to=$((from + 20000))
"$WAYMARK" insns --bytecodes --from "$from" --to "$to" --format csv fib.wmk >labelled
"$WAYMARK" hot --by bytecode --from "$from" --to "$to" -n 100000 --format csv fib.wmk >summed
check "labels of instructions" "$PYTHON" "$(dirname "$0")/label_facts.py" sums labelled summed
"$WAYMARK" insns --bytecodes --from "$from" --to "$to" --format jsonl fib.wmk >lines
check "the same as JSON" "$PYTHON" "$(dirname "$0")/label_facts.py" same labelled lines
"$WAYMARK" insns --bytecodes --no-events --from "$from" --to "$to" fib.wmk >lines
check "the same as text" "$PYTHON" "$(dirname "$0")/label_facts.py" text labelled lines
"$WAYMARK" blocks --bytecodes --from "insn:$from" --to "insn:$to" --format csv fib.wmk >blocks
check "labels of blocks" "$PYTHON" "$(dirname "$0")/label_facts.py" blocks labelled blocks

# The library, Python and SQL say what the listing does.
"$WAYMARK" sql --format csv fib.wmk "select insn as ordinal, method, bytecode, opcode,
	method_line, note from insns where thread = 0 and insn between $from and $to - 1" >asked
check "the same in SQL" "$PYTHON" "$(dirname "$0")/label_facts.py" asked labelled asked
"$WAYMARK" sql --format csv fib.wmk "select block as ordinal, method, bytecode, opcode,
	method_line, note from blocks where thread = 0 and insn between $from and $to - 1" >asked
check "of blocks" "$PYTHON" "$(dirname "$0")/label_facts.py" some blocks asked
if ldd "$BUILD/libwaymark.so.1" | grep -q libasan; then
	echo "ok the same in Python # SKIP the library is sanitized"
else
	check "the same in Python" env PYTHONPATH="$BUILD/python" WAYMARK_LIBRARY="$BUILD/libwaymark.so.1" \
		PYTHONDONTWRITEBYTECODE=1 "$PYTHON" "$(dirname "$0")/label_facts.py" library labelled \
		fib.wmk "$from" "$to"
fi
check "no bytecode before the first one" sh -c \
	'"$1" insns --bytecodes -n 1 --format jsonl fib.wmk | grep -q "\"method\":null"' - "$WAYMARK"
misused "labels in a format of another tool" '--bytecodes goes with the formats text, csv and jsonl, not spike' \
	"$WAYMARK" insns --bytecodes --format spike fib.wmk

"$WAYMARK" record -o run.none "$GUESTS/mutual.O0" >/dev/null
# Two runs: fib(13) has 753 calls instead of 465, by the same bytecodes.
mkdir other
sed 's/fib(12)/fib(13)/' fib.py >other/fib.py
(cd other && "$WAYMARK" record -q --guide cpython -L "$sysroot" -o ../fib13.wmk -- python3.13 fib.py >stdout)
run "$WAYMARK" diff --by method --function fib --format csv fib.wmk fib13.wmk
check "methods that differ: status" test "$status" -eq 1
"$WAYMARK" hot --by method --format csv -f insns,method fib.wmk | sed -n 's/,fib\r*$//p' >a
"$WAYMARK" hot --by method --format csv -f insns,method fib13.wmk | sed -n 's/,fib\r*$//p' >b
check "a method of two runs" grep -q "^$(($(cat b) - $(cat a))),$(cat a),$(cat b),[0-9.]*,fib," stdout
run "$WAYMARK" diff --by source --function fib --format csv fib.wmk fib13.wmk
check "a line of it" grep -q ',fib (fib.py:2),' stdout
check "lines are all of the method" test \
	"$(awk -F, 'NR > 1 { n += $2 } END { print n }' stdout)" = "$(cat a)"
refused "methods of a program without bytecodes" '*A has no bytecodes: record a managed program with --guide*' \
	"$WAYMARK" diff --by method run.none fib.wmk
refused "the message names the run" 'run.none: B has no bytecodes: *' \
	"$WAYMARK" diff --by method fib.wmk run.none

# A method's listing and its graph. 465 calls of fib, of which 233 return at once.
"$WAYMARK" annotate fib fib.wmk -f executions,taken,not_taken,place,disassembly,text >listed
check "a branch and where it leads" grep -qx ' *465  *232  *233  fib@10  POP_JUMP_IF_FALSE 18 *' listed
check "the source beside it" grep -q ' fib *RESUME 0 *def fib(n):' listed
check "shares of all that the method took" sh -c '"$1" annotate fib fib.wmk --format csv -f share |
	awk "NR > 1 { sum += \$1 } END { exit sum < .999 || sum > 1.001 }"' - "$WAYMARK"
refused "a method that did not run" '*no method "fob" ran; did you mean "fib"?' \
	"$WAYMARK" annotate fob fib.wmk
"$WAYMARK" cfg --method fib fib.wmk >graph
check "a graph of flow" "$PYTHON" "$(dirname "$0")/graph_facts.py" graph
"$WAYMARK" cfg --method fib --format dot fib.wmk >dot
check "the same as a picture" test "$(grep -c ' -> ' dot)" -eq 5
if command -v dot >/dev/null; then
	check "dot draws it" dot -Tsvg -o fib.svg dot
fi
refused "a graph of a method that did not run" '*no method "fob" ran; did you mean "fib"?' \
	"$WAYMARK" cfg --method fob fib.wmk

refused "labels of a program without bytecodes" '*has no bytecodes: record a managed program with --guide' \
	"$WAYMARK" insns --bytecodes run.none
refused "a graph without bytecodes" '*has no bytecodes: record a managed program with --guide' \
	"$WAYMARK" cfg --method fib run.none
refused "a program without bytecodes" '*has no bytecodes: record a managed program with --guide' \
	"$WAYMARK" hot --by source run.none

finish
