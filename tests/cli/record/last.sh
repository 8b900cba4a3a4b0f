#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The newest part alone: it is the end of what ran, as much as was asked for, whoever is
# killed and whatever is full.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$(cd "$(dirname "$0")" && pwd)
CC=${CROSS_CC:-riscv64-linux-gnu-gcc}
$CC -std=gnu17 -O1 -static -Wall -Wextra -Werror -o noise "$here/noise.c"

# fact FILE KEY: a number of `info`.
fact() { "$WAYMARK" info --format json "$1" |
	"$PYTHON" "$here/last_facts.py" fact "$2"; }

# threads FILE: the instructions of each thread, a line each.
threads() { "$WAYMARK" info --format json "$1" |
	"$PYTHON" "$here/last_facts.py" insns_of_threads; }

# rest FILE: its instructions without their numbers.
rest() { "$WAYMARK" insns --format csv "$1" | tail -n +2 | cut -d, -f2-; }

# all_within LEAST MOST: of the numbers on stdin.
all_within() { awk -v least="$1" -v most="$2" '$1 < least || $1 > most { bad = 1 } END { exit bad }'; }

# is_end PART WHOLE: the text of one is how the other ends.
is_end() { tail -c "$(wc -c <"$1")" "$2" | cmp -s - "$1"; }

# alike WORD...: records with an output and a stack like all others have.
alike() { run setarch -R "$WAYMARK" record "$@"; }

# ---- a number of instructions ------------------------------------------------

for guest in qsort.O0 churn.O3 mixed.nc; do
	alike -o full.wmk "$GUESTS/$guest"
	rest full.wmk >full
	for n in 1 50 100000-insns 200k-insns; do
		n=${n%-insns}
		alike --last "$n-insns" -o part.wmk "$GUESTS/$guest"
		rest part.wmk >part
		check "the last $n of $guest are its end" is_end part full
		number=$(echo "$n" | sed 's/k$/000/')
		wc -l <part >count
		check "the last $n of $guest are as many" \
			all_within "$number" "$((number + 100))" <count
		check "the last $n of $guest are sound" "$WAYMARK" verify part.wmk
		"$WAYMARK" info part.wmk >info
		check "what is left out of $guest is exact" grep -q '^left out *[0-9]' info
		check "what is left out of $guest is counted" [ \
			$(($(fact part.wmk instructions) + $(fact part.wmk passed))) = "$(fact full.wmk instructions)" ]
	done
done
alike --last 1G-insns -o part.wmk "$GUESTS/qsort.O0"
alike -o full.wmk "$GUESTS/qsort.O0"
check "fewer than asked for are all" [ "$(fact part.wmk instructions)" = "$(fact full.wmk instructions)" ]
"$WAYMARK" info part.wmk >info
check "nothing is left out then" [ "$(grep -c '^left out' info)" = 0 ]
check "info shows --last" grep -qx 'kept *the last 1G-insns' info

# ---- compacted on its way ----------------------------------------------------

alike -o full.wmk ./noise 700000
"$WAYMARK" blocks --format pc full.wmk >full
for last in 200k 40k 2M-insns 300k-insns; do
	alike --last $last -o part.wmk ./noise 700000
	"$WAYMARK" blocks --format pc part.wmk >part
	check "--last $last: the end of what ran" is_end part full
	check "--last $last: sound" "$WAYMARK" verify part.wmk
	rm -f part.wmk.old
	check "--last $last: nothing is left beside it" [ "$(ls part.wmk*)" = part.wmk ]
	case $last in
	*-insns) ;;
	*)
		bytes=$(stat -c %s part.wmk)
		most=$(echo $last | sed 's/k/000/')
		check "--last $last: $bytes bytes are no more" [ "$bytes" -le "$most" ]
		check "--last $last: $bytes bytes are nearly that" [ "$bytes" -ge $((most * 3 / 4)) ]
		;;
	esac
done

run "$WAYMARK" record --last 1k -o part.wmk ./noise 1000
check "definitions alone take more: it is said" grep -q 'more than --last 1k' stderr
check "definitions alone take more: all is well" "$WAYMARK" verify part.wmk

run "$WAYMARK" record --last 40k --pack -o part.wmk ./noise 700000
check "with names packed it is no more" [ "$(stat -c %s part.wmk)" -le 40000 ]
check "with names packed: they are there" sh -c \
	'"$0" info part.wmk | grep -q packed || "$0" info part.wmk | grep -q "names.*file"' "$WAYMARK"

# A thread that has another name after some of it was dropped.
alike -o full.wmk ./noise 700000 named
for last in 300k 300k-insns; do
	alike --last $last -o part.wmk ./noise 700000 named
	"$PYTHON" "$here/numbers_of.py" part.wmk >numbers
	read -r passed there <numbers
	check "--last $last: what is told to be passed is the rest" \
		[ $((passed + there)) -eq "$(fact full.wmk instructions)" ]
	"$WAYMARK" info part.wmk >info
	check "--last $last: its last name" grep -q ' late$' info
done

# ---- threads, processes ------------------------------------------------------

run "$WAYMARK" record --last 400k-insns -o part.wmk ./noise 300000 threads
threads part.wmk >counts
check "threads: there are four" [ "$(wc -l <counts)" -eq 4 ]
check "threads: each has as many" all_within 400000 400100 <counts
check "threads: sound" "$WAYMARK" verify part.wmk

run "$WAYMARK" record --wait=all --last 400k-insns -o part.wmk ./noise 300000 forks
threads part.wmk >counts
check "forks: there are three" [ "$(wc -l <counts)" -eq 3 ]
check "forks: each has as many" all_within 400000 400100 <counts
check "forks: sound" "$WAYMARK" verify part.wmk

run "$WAYMARK" record --last 100-insns -o part.wmk "$GUESTS/processes/tree.O3"
threads part.wmk >counts
check "a tree of processes: none has more" all_within 1 200 <counts
check "a tree of processes: sound" "$WAYMARK" verify part.wmk

# ---- what waymark ctl says of it ---------------------------------------------

# said FILE: the instructions that the last command of ctl said it has, which it has.
said() { [ "$(sed 's/.*: \([0-9,]*\) instructions.*/\1/; s/,//g' said)" = "$(fact "$1" instructions)" ]; }

"$WAYMARK" record --last 200k -o told.wmk ./noise 400000000 >out &
guest=$!
dropped() { "$WAYMARK" ctl "$guest" snapshot snap.wmk >said && [ "$(fact snap.wmk passed)" -gt 0 ]; }
until_true dropped
check "ctl snapshot says what is in the snapshot" said snap.wmk
"$WAYMARK" ctl "$guest" stop >said
check "ctl stop says what is in the file" said told.wmk
kill -KILL "$guest"
wait "$guest" 2>/dev/null || true

# ---- killed while it is compacted --------------------------------------------

status=0
"$PYTHON" "$here/compacting.py" "$WAYMARK" ./noise || status=$?
check "killing them" [ "$status" -eq 0 ]

# ---- no room -----------------------------------------------------------------

# limited OPTION...: no file may have more than 1 MB once it is recording.
limited() {
	rm -f limited.wmk
	status=0
	"$WAYMARK" record "$@" -o limited.wmk ./noise 40000000 >stdout 2>stderr &
	guest=$!
	until [ -e limited.wmk ]; do sleep 0.01; done
	prlimit --pid "$(recorder_of $guest)" --fsize=1000000
	wait $guest || status=$?
}
# As much as is kept fits, all that runs does not.
limited
check "a limit on file sizes: all of it does not fit" grep -q 'File too large' stderr
limited --last 500k
check "a limit on file sizes: the last of it does" "$WAYMARK" verify limited.wmk
check "a limit on file sizes: status 0" [ "$status" -eq 0 ]

if unshare -m true 2>/dev/null; then
	mkdir small
	# room BYTES: of the disk, for the last 600 kB.
	room() {
		status=0
		# shellcheck disable=SC2016 # for the inner shell
		ROOM=$1 unshare -m sh -c '
			mount -t tmpfs -o size=$ROOM tmpfs small || exit 9
			status=0
			setarch -R "$WAYMARK" record --last 600k -o small/run.wmk ./noise 4000000 \
				>stdout 2>err || status=$?
			cp small/run.wmk room.wmk
			ls small >left
			exit $status' || status=$?
		"$WAYMARK" blocks --format pc room.wmk >part
	}
	alike -o full.wmk ./noise 4000000
	"$WAYMARK" blocks --format pc full.wmk >full
	room 3m
	check "a disk with room: the end is kept" is_end part full
	check "a disk with room: status 0" [ "$status" -eq 0 ]
	room 1100k
	check "a full disk: the guest ran on" grep -qx done stdout
	check "a full disk: it is said" grep -q 'No space left' err
	check "a full disk: the file says what is missing" \
		sh -c '"$0" info room.wmk | grep -q "^complete *no: .*No space left"' "$WAYMARK"
	check "a full disk: nothing else is left" [ "$(cat left)" = run.wmk ]
	run "$WAYMARK" verify room.wmk
	check "a full disk: what is there is sound" grep -q 'No space left' stdout
else
	echo "ok a full disk # SKIP there is no private mount namespace"
fi

# ---- wrong -------------------------------------------------------------------

for wrong in 0 x 5-blocks -1 1M-insns-more 1.5M '' 0-insns 99999999999999999999; do
	misused "--last $wrong" '--last takes a size*' \
		"$WAYMARK" record --last "$wrong" -o part.wmk ./noise 1
done
finish
