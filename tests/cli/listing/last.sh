#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The way in: the last lines of a thread, before a crash or before another place.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$WAYMARK" record -o run.wmk "$GUESTS/qsort.O0" >/dev/null
for lines_of in insns blocks; do
	"$WAYMARK" $lines_of run.wmk >all
	lines=$(grep -vc '^#' all)
	for n in 1 7 5000 "$lines"; do
		run "$WAYMARK" $lines_of --last "$n" --no-events run.wmk
		grep -v '^#' all | tail -n "$n" >tail
		same "$lines_of: the last $n" tail stdout
	done
	run "$WAYMARK" $lines_of --last 1G --no-events run.wmk
	grep -v '^#' all >tail
	same "$lines_of: all, when more are asked for" tail stdout
	run "$WAYMARK" $lines_of --last 10 --to 500 --no-events run.wmk
	grep -v '^#' all | sed -n '491,500p' >tail
	same "$lines_of: the last before a place" tail stdout
	run "$WAYMARK" $lines_of --last 10 -n 3 --no-events run.wmk
	grep -v '^#' all | tail -n 10 | head -n 3 >tail
	same "$lines_of: so many of the last" tail stdout
	misused "$lines_of: not from two places" '--last and --from exclude each other' \
		"$WAYMARK" $lines_of --last 10 --from 5 run.wmk
	misused "$lines_of: not nothing" '--last takes a number*' "$WAYMARK" $lines_of --last 0 run.wmk
done

# ---- gaps --------------------------------------------------------------------

# Its ordinals 0, 3, 6 and 8 are gaps.
"$BUILD/tests/unit/make_trace" gaps.wmk gaps
"$WAYMARK" blocks --no-events --format csv gaps.wmk | sed 1d >all
for n in 1 2 3 4 5 6; do
	run "$WAYMARK" blocks --last "$n" --no-events --format csv gaps.wmk
	sed 1d stdout >got
	tail -n "$n" all >tail
	same "a gap is no block: the last $n" tail got
done
run "$WAYMARK" blocks --last 2 --to 4 --no-events --format csv gaps.wmk
sed 1d stdout >got
head -n 2 all >tail
same "a gap is no block: the last before a place" tail got

# ---- several threads ---------------------------------------------------------

"$WAYMARK" record -o run.wmk "$GUESTS/threads/exitgroup.O3" >/dev/null || true
"$WAYMARK" insns --thread 1 --no-events run.wmk | tail -n 5 >tail
run "$WAYMARK" insns --thread 1 --last 5 --no-events run.wmk
same "of another thread" tail stdout
run "$WAYMARK" insns --interleave --thread 1 --last 5 --no-events --format csv run.wmk
grep '^1,' stdout | wc -l >count
check "with the others: so many of that thread" grep -qx 5 count

# ---- a crash -----------------------------------------------------------------

run "$WAYMARK" record --last 1000-insns -o run.wmk "$GUESTS/processes/die.O3" fault
run "$WAYMARK" insns --last 50 run.wmk
grep -v '^#' stdout | tail -n 50 | wc -l >count
check "a crash: 50 instructions" grep -qx 50 count
tail -n 1 stdout >end
check "a crash: what ended it is the last line" \
	grep -qx '# +++ the process was killed by SIGSEGV +++' end
check "a crash: the place is there" grep -q ' main+.* sw ' stdout
run "$WAYMARK" insns --last 50 --no-events run.wmk
check "a crash: no word of it without events" sh -c '! grep -q killed stdout'
run "$WAYMARK" insns --to 10 run.wmk
check "a crash: not before the end is reached" sh -c '! grep -q killed stdout'
run "$WAYMARK" insns --last 5 --format csv run.wmk
check "a crash: not in other formats" sh -c '! grep -q killed stdout'
finish
