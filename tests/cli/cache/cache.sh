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

for by in function line object level "interval --interval 777"; do
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
# A store that goes through L1D may hit it and miss L2, which is smaller here.
through="--l1d 4k,4,32,through --l2 1k,2,32,through --llc none"
for by in function interval; do
	# shellcheck disable=SC2086 # words
	cache $through --by $by -f l1d_misses,l2_misses |
		awk -F, '{ d += $1; s += $2 } END { print d, s }' >through.$by
done
# shellcheck disable=SC2086 # words
cache $through --by level -f level,kind,misses |
	awk -F, '$2 == "all" && $1 != "l1i" { printf "%s%s", (n++ ? " " : ""), $3 }
		END { print "" }' >through.level
same "functions add up to levels that stores go through" through.level through.function
same "intervals add up to them" through.level through.interval
cache --by object -f object,l1d_misses,loads,stores | tail -n +2 >objects
check "objects have all misses of data" test "$(awk -F, '{ n += $(NF - 2) } END { print n }' objects)" -eq \
	"$(cut -d' ' -f1 sums.function)"
awk -F, -v OFS=, '{ print $1, $(NF - 1) + $NF }' objects | sort >by.cache
"$WAYMARK" mem run.wmk --by object --format csv -f object,accesses | tail -n +2 | sort >by.mem
same "objects have the accesses that mem has" by.mem by.cache
cache --by object --function main -f object,loads,stores | tail -n +2 |
	awk -F, '{ n += $(NF - 1) + $NF } END { print n }' >some
"$WAYMARK" mem run.wmk --by function --function main --format csv -f accesses | tail -n +2 >other
same "objects of one function" some other

# ---- an LLC for all threads -----------------------------------------------------------------
"$WAYMARK" insns run.wmk --values --interleave --format jsonl >order.jsonl 2>/dev/null
cache --shared-llc --by level >levels
"$PYTHON" "$SRC/tests/cli/cache/shared.py" order.jsonl levels
cache --shared-llc --by function -f $columns |
	awk -F, 'NR > 1 { for (i = 1; i <= 7; i++) n[i] += $i }
		END { for (i = 1; i <= 7; i++) printf "%d ", n[i]; print "" }' >sums.shared
check "private levels are as without" test "$(cut -d' ' -f1-3,5- sums.shared)" = \
	"$(cut -d' ' -f1-3,5- sums.function)"
check "a shared LLC misses other accesses" test "$(cut -d' ' -f4 sums.shared)" != \
	"$(cut -d' ' -f4 sums.function)"
cache --shared-llc --thread 1 >one
cache --thread 1 >more
same "shared by one thread" one more
cache --shared-llc --by object --from 500 --to 20000 -f l1d_misses,loads,stores |
	awk -F, '{ for (i = 1; i <= 3; i++) n[i] += $i } END { print n[1], n[2] + n[3] }' >some
cache --by function --from 500 --to 20000 -f l1d_misses,loads,stores |
	awk -F, '{ for (i = 1; i <= 3; i++) n[i] += $i } END { print n[1], n[2] + n[3] }' >other
same "a part, together and apart" some other
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

cache --cachegrind cachegrind.out >table
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
refused "a trace without accesses" "*the trace has no accesses of memory: record it with waymark record --mem*" \
	"$WAYMARK" cache plain.wmk
# usage PATTERN WORD...
usage() {
	text=$1
	shift
	misused "$*" "$text" "$WAYMARK" cache run.wmk "$@"
}
usage 'l1d cannot be "fifo"*' --l1d 32k,8,64,fifo
usage 'l1d has "plru" after*' --l1d 32k,8,64,random,plru
usage 'there is no last cache*' --shared-llc --llc none
usage 'there are no caches "abacus": there are those of generic, u74, *zen2 and zen3*' --model abacus
usage 'a line of l2 is shorter than one of l1d*' --l1i 1k,2,32 --l1d 1k,2,64 --l2 4k,4,32
usage '--by takes function, line, object, method, source, level or interval*' --by colour
usage '--function does not go with --by level*' --by level --function main
usage '--function does not go with --by interval*' --interval 1000 --function main
finish
