#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which threads and processes are compared with each other, and tables of what changed.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
# shellcheck source=tests/cli/diff/common
. "$SRC/tests/cli/diff/common"

bare rounds "$HERE/rounds.c"
bare moved -DMOVED "$HERE/rounds.c"
record 3.wmk ./rounds 2 3
record first.wmk ./rounds 2 3
record second.wmk ./moved 2 3 4 5
record moved5.wmk ./moved 2 3 4 5
record threaded.wmk "$GUESTS/threads/names.O3"
record mixed.wmk "$GUESTS/mixed.O3"

json threaded.wmk threaded.wmk
check "all threads: exit status 0" test "$status" -eq 0
facts "each thread with itself" each_thread_with_itself
for jobs in 1 2 7; do
	"$WAYMARK" diff --format json -j $jobs threaded.wmk threaded.wmk >jobs$jobs
done
check "the same for any -j" sh -c 'cmp jobs1 jobs2 && cmp jobs1 jobs7'

json threaded.wmk mixed.wmk
facts "threads that only A has" threads_that_only_a_has
json mixed.wmk threaded.wmk
facts "threads that only B has" threads_that_only_b_has
json --thread 1:2 threaded.wmk threaded.wmk
facts "one thread with another" one_thread_with_another
json --thread 0 --process 0 threaded.wmk mixed.wmk
facts "one thread of one process" one_thread_of_one_process
run "$WAYMARK" diff --thread 1 threaded.wmk threaded.wmk
check "one line when nothing differs" \
	grep -q '^identical: [0-9,]* instructions$' stdout
run "$WAYMARK" diff threaded.wmk mixed.wmk
check "the others have a line each" \
	grep -q '^thread 1 ([^)]*): only in A, [0-9,]* instructions$' stdout

# ---- tables ------------------------------------------------------------------

# A's three more in round 3 are as many as B's in round 5.
run "$WAYMARK" diff --by function 3.wmk moved5.wmk
check "moved functions are the same: exit status 0" test "$status" -eq 0
run "$WAYMARK" diff --by function --format csv --to 100:200 3.wmk moved5.wmk
# A: the first 3, seven rounds, three more, and 3 of the eighth: 3 + 7 * 13 + 3 + 3.
# B: the first 3, 14 rounds, three more, and all but one of the 15th: 3 + 14 * 13 + 3 + 12.
cat >expected <<'END'
difference,a,b,ratio,name,module
72,63,135,2.142857,work,rounds
28,37,65,1.756757,_start,rounds
END
same "by function, some of the way" expected stdout
check "and they differ: exit status 1" test "$status" -eq 1
run "$WAYMARK" diff --by class --format csv --to 100:200 3.wmk moved5.wmk
cp stdout classes
"$WAYMARK" insns --format csv --to 100 3.wmk >a.csv
"$WAYMARK" insns --format csv --to 200 moved5.wmk >b.csv
check "by mnemonic, as listings have it" \
	"$PYTHON" "$SRC/tests/cli/diff/threads_facts.py" by_mnemonic_as_listings_have_it "$WAYMARK"
check "by class" "$PYTHON" "$SRC/tests/cli/diff/threads_facts.py" by_class
run "$WAYMARK" diff --by calls --format csv -f difference,a,b,ratio,name --to 100:200 \
	3.wmk moved5.wmk
# A ends with the eighth round's jal: what that calls is not entered.
printf 'difference,a,b,ratio,name\n8,7,15,2.142857,work\n' >expected
same "calls" expected stdout
run "$WAYMARK" diff --by calls first.wmk second.wmk
check "calls of moved functions are the same: exit status 0" test "$status" -eq 0
run "$WAYMARK" diff --by function --function work -n 1 -f name,difference --format csv \
	--to 100:200 3.wmk moved5.wmk
printf 'name,difference\nwork,72\n' >expected
same "one function, two columns" expected stdout
for jobs in 1 3; do
	"$WAYMARK" diff --by function -j $jobs threaded.wmk mixed.wmk >jobs$jobs || :
done
same "tables are the same for any -j" jobs1 jobs3

# ---- refused -----------------------------------------------------------------

usage "one trace" '*two traces to be named*' 3.wmk
usage "three traces" '*two traces at a time*' 3.wmk 3.wmk 3.wmk
refused "no such file" '*nowhere.wmk*' "$WAYMARK" diff 3.wmk nowhere.wmk
refused "no such thread" '*there is no thread 7*' \
	"$WAYMARK" diff --thread 0:7 3.wmk moved5.wmk
usage "--function by itself" '*goes with --by*' --function work 3.wmk moved5.wmk
usage "-s by itself" '*go with --by*' -s a 3.wmk moved5.wmk
usage "csv by itself" '*goes with --by*' --format csv 3.wmk moved5.wmk
usage "by what" '*function, calls*mnemonic*' --by x 3.wmk moved5.wmk
usage "a column that does not exist" '*there is no column*' --by class -f module 3.wmk moved5.wmk
usage "backwards" '*--to is before --from*' --from 5:9 --to 7 3.wmk moved5.wmk
usage "no window" '*--window takes a number*' --window 0 3.wmk 3.wmk
usage "too much context" '*-U takes a number*' -U 1000 3.wmk 3.wmk

finish
