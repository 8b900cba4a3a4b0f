#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Tables of misses agree with each other and with what cg_annotate reads; the same for any -j;
# what is refused.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

"$WAYMARK" record --mem --qemu "$QEMU" -o run.wmk -L /usr/riscv64-linux-gnu \
	-- "$GUESTS/threads/names.O3" >out
"$WAYMARK" record --mem --qemu "$QEMU" -o long.wmk -- "$GUESTS/qsort.O3" >out
small="--l1i 1k,2,32 --l1d 1k,2,32 --l2 4k,4,32 --llc 16k,8,64"

# cache WORD...
cache() {
	# shellcheck disable=SC2086 # words
	"$WAYMARK" cache run.wmk $small --format csv "$@"
}

for by in function line level "interval --interval 777"; do
	# shellcheck disable=SC2086 # words
	cache --by $by -j 1 >one
	# shellcheck disable=SC2086 # words
	cache --by $by -j 3 >more
	same "by $by, -j" one more
done

# L1D, L1I, L2, LLC, loads, stores
columns=l1d_misses,l1i_misses,l2_misses,llc_misses,loads,stores,insns
for by in function line interval; do
	interval=
	[ $by != interval ] || interval="--interval 1000"
	# shellcheck disable=SC2086 # words
	cache --by $by $interval -f $columns |
		awk -F, 'NR > 1 { for (i = 1; i <= 7; i++) n[i] += $i }
			END { for (i = 1; i <= 7; i++) printf "%d ", n[i]; print "" }' >sums.$by
done
same "lines add up to functions" sums.function sums.line
same "intervals add up to functions" sums.function sums.interval
cache --interval 1000 --thread 0 --from 77 -f from,insns >got
check "intervals begin at --from" awk -F, '
	NR > 2 && ($1 != last + 1000 || insns != 1000) { bad = 1 }
	NR == 2 && $1 != 77 { bad = 1 }
	NR > 1 { last = $1; insns = $2 }
	END { exit bad || NR < 20 }' got
refused "too many intervals" "*more than 1000000 intervals*" "$WAYMARK" cache long.wmk --interval 1
cache --by level | awk -F, '
	$2 == "all" { misses[$1] = $4 }
	$1 == "l1d" && $2 == "loads" { loads = $3 }
	$1 == "l1d" && $2 == "stores" { stores = $3 }
	$1 == "l1i" && $2 == "all" { fetches = $3 }
	END { print misses["l1d"], misses["l1i"], misses["l2"], misses["llc"], loads, stores,
		fetches " " }' >sums.level
same "levels have the same sums" sums.function sums.level
check "all instructions passed" test "$("$WAYMARK" info run.wmk --format json |
	"$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["instructions"])')" -eq \
	"$(cut -d' ' -f7 sums.level)"

# ---- the model of a processor, and levels that replace its own --------------------------

"$WAYMARK" cache run.wmk --by level --model u74 --format csv >model
check "a model without a second level" sh -c '! grep -q ^l2, model && grep -q ^llc, model'
"$WAYMARK" cache run.wmk --by level --model u74 --l1d 1k,2,64,stride --llc none \
	--format csv >replaced
check "levels may be given" sh -c '! grep -q ^llc, replaced && grep ^l1i, model >model.l1i &&
	grep ^l1i, replaced | cmp - model.l1i && ! grep ^l1d, model | grep -qxFf replaced'

# ---- for cg_annotate --------------------------------------------------------------------

cache -o cachegrind.out >table
cache >wanted
same "the table is printed, too" wanted table
if command -v cg_annotate >/dev/null; then
	run cg_annotate cachegrind.out
	check "cg_annotate reads it" test "$status" -eq 0
	grep 'PROGRAM TOTALS' stdout | tr -d ',' | sed 's/([^)]*)//g' |
		awk '{ print $6 + $10, $2, $3 + $7 + $11, $4 + $8 + $12, $5, $9, $1 " " }' >totals
	same "its totals are those of the tables" sums.function totals
else
	passed "cg_annotate # SKIP there is no Valgrind"
fi

# ---- what is refused --------------------------------------------------------------------

"$WAYMARK" record --qemu "$QEMU" -o plain.wmk -- "$GUESTS/tight.O3" >out
refused "a trace without accesses" "*the trace has no accesses to memory; record it with --mem*" \
	"$WAYMARK" cache plain.wmk
# usage PATTERN WORD...
usage() {
	text=$1
	shift
	misused "$*" "$text" "$WAYMARK" cache run.wmk "$@"
}
usage 'l1d cannot be "fifo"*' --l1d 32k,8,64,fifo
usage 'there are no caches "abacus"*' --model abacus
usage 'a line of l2 is shorter than one of l1d*' --l1i 1k,2,32 --l1d 1k,2,64 --l2 4k,4,32
usage '--by takes function, line, level or interval*' --by colour
finish
