#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every reader takes the places that `record` takes, as bounds of the same part of the run:
# the instructions that it counts are those between the two in the whole listing.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -I"$SRC/include" -o program \
	"$SRC/tests/cli/names/places.c"
"$WAYMARK" record --mem -o run.wmk ./program >out
"$WAYMARK" insns --no-events run.wmk >all
"$WAYMARK" events --format csv run.wmk >events
total=$(wc -l <all)

# nth N PATTERN: the ordinal of the N-th instruction of the listing at a place.
nth() { awk -v pattern="$2" -v n="$1" '$0 ~ pattern && !--n { print $1; exit }' all; }
# event N PATTERN: where an event is in the run.
event() { grep "$2" events | sed -n "$1p" | cut -d, -f3; }
address=$(awk '$3 == "work" { print $2; exit }' all)
line=$(grep -n 'sum += n' "$SRC/tests/cli/names/places.c" | cut -d: -f1)

# sum COLUMN: of the CSV on standard input, whose header is one line.
sum() { awk -F, -v column="$1" 'NR > 1 { n += $column } END { print n + 0 }'; }

# counts COMMAND FROM TO: how many instructions a command has of the part.
counts() {
	case $1 in
	insns) "$WAYMARK" insns --no-events --from "$2" --to "$3" run.wmk | wc -l ;;
	hot) "$WAYMARK" hot --format csv -f insns --from "$2" --to "$3" run.wmk | sum 1 ;;
	line) "$WAYMARK" hot --by line --format csv -f insns --from "$2" --to "$3" run.wmk | sum 1 ;;
	annotate) "$WAYMARK" annotate '*' --format csv -f executions --from "$2" --to "$3" run.wmk | sum 1 ;;
	calls) "$WAYMARK" calls --format csv -f self_insns --from "$2" --to "$3" run.wmk | sum 1 ;;
	mix) "$WAYMARK" mix --by class --format csv -f insns --from "$2" --to "$3" run.wmk | sum 1 ;;
	folded)
		"$WAYMARK" export folded --from "$2" --to "$3" -o folded run.wmk
		awk '{ n += $NF } END { print n + 0 }' folded
		;;
	cut)
		"$WAYMARK" cut --from "$2" --to "$3" -o part.wmk run.wmk >/dev/null
		"$WAYMARK" insns --no-events part.wmk | grep -c '^ *[0-9]'
		rm part.wmk
		;;
	esac
}

# The place, and its ordinal by the listing or the events.
while read -r place ordinal; do
	for command in insns hot line annotate calls mix folded cut; do
		check "$command --from $place" \
			test "$(counts $command "$place" insn:"$total" 2>stderr)" -eq \
			$((total - ordinal))
		check "$command --to $place" \
			test "$(counts $command insn:0 "$place" 2>stderr)" -eq "$ordinal"
	done
	for command in blocks events mem bpred phases cfg cover "calls --tree" marks \
		"export callgrind -o profile" "report -o report.html" "plot hot -o hot.svg"; do
		# shellcheck disable=SC2086 # words they are
		run "$WAYMARK" $command --from "$place" run.wmk
		check "$command --from $place is taken" [ "$status" -eq 0 ]
	done
done <<END
work $(nth 1 ' work ')
work@10 $(nth 10 ' work ')
program:work@3 $(nth 3 ' work ')
work+4@4 $(nth 4 ' work.0x4 ')
places.c:$line@5 $(nth 5 ' work ')
$address@7 $(nth 7 ' work ')
insn:1234 1234
END

# A marker's begin begins a part, and its end ends one; a call is before the part.
check "markers bound a region" test "$(counts hot marker:7@3 marker:7)" -eq \
	$(($(event 3 ',marker,end,') - $(event 3 ',marker,begin,')))
check "a system call bounds a part" test "$(counts hot syscall:write syscall:write@2)" -eq \
	$(($(event 2 ',syscall,write') - $(event 1 ',syscall,write')))
for place in work@10 places.c:"$line" "$address@7" marker:7@2; do
	run "$WAYMARK" diff --from "$place" run.wmk run.wmk
	check "diff --from $place" [ "$status" -eq 0 ]
done
check "calls --tree has positions" sh -c '"$WAYMARK" calls --tree --from work@2 run.wmk |
	sed -n 2p | tr -d , | grep -q "^ *'"$(nth 2 ' work ')"' "'
finish
