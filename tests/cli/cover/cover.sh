#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Coverage: of a program where it is known by hand, over one run and two, as tables, as a
# file for lcov that genhtml takes, and as one of drcov's.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
here=$SRC/tests/cli
export PYTHONPATH="$here/hot:$here/cover"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O0 -g -static -o counted "$here/hot/counted.c"
"$WAYMARK" record -o one.wmk ./counted
"$WAYMARK" record -o two.wmk ./counted x
"$WAYMARK" cover one.wmk --branches --lcov one.info --drcov one.drcov >one.text
"$WAYMARK" cover one.wmk two.wmk --branches --lcov both.info --drcov both.drcov >both.text

# facts NAME FUNCTION ARGUMENT...: of cover_facts.py.
facts() {
	what=$1
	shift
	check "$what" "$PYTHON" "$SRC/tests/cli/cover/cover_facts.py" "$@"
}

# ---- known by hand -----------------------------------------------------------

facts "lines of one run" lines_of_one_run
facts "lines of two runs, and which was first" lines_of_two_runs_and_which_was_first
facts "--first: only what ran" first_only_what_ran
facts "functions" functions
facts "branches" branches
facts "totals" totals

# What is selected behind the end is empty, and that is said, as other commands do.
for words in "hot" "cover" "cover -b line" "cover --format lcov" "cfg" "cfg --format dot" \
	"export callgrind" "export folded"; do
	# shellcheck disable=SC2086 # words
	"$WAYMARK" $words one.wmk --from 1000000000 >/dev/null 2>told
	check "$words behind the end: it is said once" sh -c \
		'[ "$(grep -c "nothing is selected: there is no instruction 1000000000" told)" -eq 1 ]'
done

for words in "" "-b function"; do
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" cover one.wmk --function nothing $words
	check "--function nothing $words: that is said" \
		[ "$(cat stderr)" = 'waymark: no function "nothing" ran' ]
done

# ---- all functions, all branches ---------------------------------------------

riscv64-linux-gnu-nm counted >names
riscv64-linux-gnu-objdump -d --no-show-raw-insn counted >objdump
facts "functions are those of nm" functions_are_those_of_nm
facts "branches are those of objdump" branches_are_those_of_objdump

"$WAYMARK" cover one.wmk -b function --only-source 'count*.c' --format csv >only
facts "--only-source: functions" only_source
run "$WAYMARK" cover one.wmk --only-source 'nothing*' --format csv -f reached
check "--only-source: nothing fits" sh -c '! grep -q "[1-9]" stdout'
check "--only-source: nothing fits, and that is said" \
	[ "$(cat stderr)" = 'waymark: no source file fits "nothing*"' ]

# ---- files -------------------------------------------------------------------

facts "lcov: lines, functions, branches" lcov_lines_functions_branches
check "genhtml takes it" genhtml --quiet --branch-coverage -o html both.info
facts "genhtml shows the counts" genhtml_shows_the_counts
check "lcov adds it up" sh -c 'lcov --quiet --rc lcov_branch_coverage=1 -a one.info -a one.info -o sum.info'
facts "lcov has it twice then" lcov_has_it_twice_then
facts "drcov: the blocks" drcov_the_blocks

# Several modules, in a process where they lie elsewhere than in their files.
"$WAYMARK" record -o dyn.wmk -L /usr/riscv64-linux-gnu "$GUESTS/qsort.dyn" >/dev/null
"$WAYMARK" cover dyn.wmk --drcov dyn.drcov >/dev/null
facts "drcov: several modules" drcov_several_modules

# A block that was left early counts up to where it was.
"$WAYMARK" record -o early.wmk "$GUESTS/faults/overlap.O3" >/dev/null 2>&1 || true
facts "blocks that were left early" blocks_that_were_left_early

for jobs in 1 2 7; do
	"$WAYMARK" cover one.wmk dyn.wmk -b branch -j $jobs >table.$jobs
done
same "-j 1 and -j 2" table.1 table.2
same "-j 1 and -j 7" table.1 table.7

cp "$GUESTS/mutual.O0" lost
"$WAYMARK" record -o lost.wmk ./lost >/dev/null
run "$WAYMARK" cover lost.wmk
check "nothing is to be said of a file that is there" test "$status" -eq 0 -a ! -s stderr
rm lost
run "$WAYMARK" cover lost.wmk
check "of a file that is gone only what ran is known" \
	grep -q '/lost is missing or was changed: of its code only what ran is known$' stderr
check "and that once" test "$(wc -l <stderr)" -eq 1 -a "$status" -eq 0

# ---- refused -----------------------------------------------------------------

refused "no such trace" '*nothing.wmk*' "$WAYMARK" cover one.wmk nothing.wmk
refused "a file that cannot be written" '*/nowhere/file*' "$WAYMARK" cover one.wmk --lcov /nowhere/file
run "$WAYMARK" cover one.wmk --drcov /dev/full
check "full disk" test "$status" -eq 2 -a -s stderr
run "$WAYMARK" cover one.wmk -b colour
check "no such table" test "$status" -eq 2
finish
