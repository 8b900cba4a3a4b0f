#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Methods that an interpreter runs, on the stack of calls: CPython's.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

sysroot=$("$SRC/tests/sysroot.sh")
facts=$(dirname "$0")/methods_facts.py
run "$WAYMARK" record --guide cpython -L "$sysroot" -o run.wmk -- \
	python3.13 "$SRC/tests/guests/python/frames.py"
echo "144 90 [0, 3, 6, 9, 12] [1, 1, 1, 1] [3, 2, 1] 7" >want
same "the program prints what it does without" want stdout

"$WAYMARK" calls run.wmk -n 1000000 --format csv >calls
"$WAYMARK" hot run.wmk --by method -n 1000000 --format csv \
	-f executions,method,source >methods
check "methods are called as often as their first bytecode is executed" \
	"$PYTHON" "$facts" counts calls methods
check "recursion" grep -q '^fib (frames.py:[0-9]*),[0-9]*,[0-9.]*,[0-9]*,[0-9.]*,465,0,' calls
check "what is called by native code" grep -q '^key (frames.py:[0-9]*),.*,3,0,' calls
check "the sums are those of all instructions" "$PYTHON" "$facts" sums calls \
	"$("$WAYMARK" info --format json run.wmk)"

# An exception ends one frame after the other: each has a handler of its own.
"$WAYMARK" calls run.wmk --tree --filter 'catch*' | grep 'frames.py' |
	sed 's/^[ 0-9,]*  //; s/ (frames.py:[0-9]*)//; s/^ *//' | tail -10 >tree
printf '%s\n' 'catch {' 'bad {' 'bad {' 'bad {' 'bad {' '} /* bad */' '} /* bad */' \
	'} /* bad */' '} /* bad */' '} /* catch */' >want
same "frames that an exception leaves" want tree
# A generator goes on ten times behind its beginning.
"$WAYMARK" calls run.wmk --tree --filter 'gen*' --depth 1 | grep -c 'gen (' >n
check "a generator" test "$(cat n)" -eq 12
"$WAYMARK" calls run.wmk --graph --function fib --format csv >graph
check "what fib is called by" grep -q '^main (frames.py:[0-9]*),fib (frames.py:[0-9]*),1,' graph

# Where each frame begins, goes on and is left: as sys.monitoring says in the same run.
run "$WAYMARK" record --guide cpython -L "$sysroot" -o seen.wmk -- python3.13 \
	"$SRC/tests/guests/python/frame_witness.py" "$PWD/seen" "$SRC/tests/guests/python/frames.py"
check "the program ends well" test "$status" -eq 0
"$WAYMARK" calls seen.wmk --tree --filter '<module>*' >tree
check "frames, in order" "$PYTHON" "$facts" frames seen tree frames.py

for threads in 1 3; do
	"$WAYMARK" calls run.wmk -n 1000000 -j $threads --format csv >calls.$threads
done
same "by any number of threads" calls.1 calls.3

# A thread is one part's work, in pieces.
tree() { "$WAYMARK" calls --tree -D 15 run.wmk "$@"; }
tree >tree
tree --part 1/2 --state 1.wms
tree --part 2/2 --state 2.wms
check "the part has several pieces" test "$(cat 1.wms 2.wms | wc -c)" -gt 600000
"$WAYMARK" merge 1.wms 2.wms >merged
same "a tree from parts" tree merged
mkdir forked
ln "$WAYMARK" forked/waymark 2>/dev/null || cp "$WAYMARK" forked/waymark
ln -s "$BUILD/tests/unit/forked-team.so" forked/waymark-mpi.so
for ranks in 1 2; do
	OMPI_COMM_WORLD_SIZE=$ranks OMPI_COMM_WORLD_RANK=0 ./forked/waymark calls --tree -D 15 \
		run.wmk >forked.tree
	same "a tree from $ranks processes" tree forked.tree
done
export TMPDIR="$PWD"
check "a tree's memory" "$PYTHON" "$facts" memory run.wmk tree.wms

"$WAYMARK" calls run.wmk --format folded >folded 2>/dev/null
check "a flame graph" grep -q ';<module> (frames.py);main (frames.py:[0-9]*);fib (frames.py:[0-9]*);fib (' folded
"$WAYMARK" calls run.wmk --format callgrind >callgrind
check "costs of methods are no costs of the interpreter" \
	"$PYTHON" "$facts" costs callgrind calls

finish
