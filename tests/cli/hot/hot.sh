#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hot functions, blocks, lines and loops: of a program whose counts are known by hand, and
# of others against counting what `insns` lists.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
here=$SRC/tests/cli/hot
export PYTHONPATH="$here"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O0 -g -static -o counted "$here/counted.c"
"$WAYMARK" record -o run.wmk ./counted

# facts NAME FUNCTION ARGUMENT...: of hot_facts.py.
facts() {
	what=$1
	shift
	check "$what" "$PYTHON" "$SRC/tests/cli/hot/hot_facts.py" "$@"
}

# ---- known by hand -----------------------------------------------------------

facts "functions: instructions and executions" functions_instructions_and_executions
facts "functions: --function" functions_function
facts "lines: executions" lines_executions
facts "loops: iterations, entries, trips, instructions" loops_iterations_entries_trips_instructi

# ---- against what insns lists ------------------------------------------------

facts "all of a run" all_of "run.wmk"
for range in "--from 20000 --to 24567" "--from 21003" "--to 1"; do
	# shellcheck disable=SC2086 # words
	facts "a part of it: $range" all_of run.wmk $range
done
facts "blocks" blocks

# Blocks that were left early, threads, forked children, other programs.
for guest in faults/overlap faults/repair faults/patch faults/nested processes/tree \
	threads/generations; do
	"$WAYMARK" record -o run.wmk "$GUESTS/$guest.O3" >/dev/null 2>&1 || true
	facts "counts: $guest" all_of "run.wmk"
done
"$WAYMARK" record -o run.wmk -L /usr/riscv64-linux-gnu "$GUESTS/qsort.dyn" >/dev/null
facts "counts: qsort.dyn, --from and --to" all_of "run.wmk" "--from" 100000 "--to" 300000

# ---- the same however it is computed -----------------------------------------

for by in function block line loop; do
	for jobs in 1 2 7; do
		"$WAYMARK" hot run.wmk -b $by -j $jobs >table.$jobs
	done
	same "by $by: -j 1 and -j 2" table.1 table.2
	same "by $by: -j 1 and -j 7" table.1 table.7
done
facts "csv and json tell the same" csv_and_json_tell_the_same
"$WAYMARK" record --no-pack -o run.wmk ./counted
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -g -static -o counted "$here/counted.c"
run "$WAYMARK" hot run.wmk -b line --format csv
check "a file that has changed: it is said" grep -q 'counted' stderr
facts "a file that has changed has no lines, and the same sum" a_file_that_has_changed_has_no_lines_and

# ---- refused -----------------------------------------------------------------

run "$WAYMARK" hot run.wmk -b colour
check "no such table" test "$status" -eq 2
check "no such table is understood" grep -q 'takes function, block, line, loop, method, bytecode or source, not "colour"' stderr
run "$WAYMARK" hot run.wmk -s colour
check "no such column" test "$status" -eq 2
run "$WAYMARK" hot run.wmk --from 100G
check "a part behind the end" test "$status" -eq 0
check "it says so" grep -q "no instruction 100000000000, the thread has [0-9]*$" stderr
refused "no such trace" '*nothing.wmk*' "$WAYMARK" hot nothing.wmk
run sh -c "'$WAYMARK' hot run.wmk >/dev/full"
check "full disk" test "$status" -eq 2 -a -s stderr
finish
