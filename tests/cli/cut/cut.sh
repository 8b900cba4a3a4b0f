#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A part of a trace is a sound trace: what it has, instruction for instruction, with values
# and events, is what the whole has there.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# facts NAME FUNCTION ARGUMENT...: of cut_facts.py.
facts() {
	what=$1
	shift
	check "$what" "$PYTHON" "$SRC/tests/cli/cut/cut_facts.py" "$@"
}

"$WAYMARK" record -o run.wmk "$GUESTS/mixed.O3" >/dev/null
facts "parts of a run" parts_are_parts run.wmk 8 30000
facts "single instructions" single_instructions run.wmk 20000
facts "tables are of the part" tables_are_of_the_part run.wmk 30001 70003
"$WAYMARK" record -o signal.wmk "$GUESTS/signal.O3" >/dev/null || true
facts "the whole is a part" the_whole_is_a_part signal.wmk
facts "events are at their places" events_are_at_their_places signal.wmk 1000 60000
"$WAYMARK" record -o threads.wmk "$GUESTS/threads/names.O3" >/dev/null
facts "the whole of threads" the_whole_is_a_part threads.wmk
facts "parts of threads" parts_are_parts threads.wmk 6 5000
for guest in faults/overlap faults/repair processes/tree; do
	name=$(basename $guest).wmk
	"$WAYMARK" record -o "$name" "$GUESTS/$guest.O3" >/dev/null 2>&1 || true
	facts "parts: $guest" parts_are_parts "$name" 5 3000
done

# ---- values ------------------------------------------------------------------

"$WAYMARK" record -o mem.wmk --mem "$GUESTS/mixed.O3" >/dev/null
facts "accesses" parts_are_parts mem.wmk 6 3000 --values
facts "accesses of single instructions" single_instructions mem.wmk 20000 --values
"$WAYMARK" record -o data.wmk --mem --mem-values --value main:a0 "$GUESTS/qsort.O3" >/dev/null
facts "data" parts_are_parts data.wmk 6 3000 --values
facts "data of single instructions" single_instructions data.wmk 20000 --values
"$WAYMARK" record -o commits.wmk --commits "$GUESTS/qsort.O3" >/dev/null
facts "registers" parts_are_parts commits.wmk 5 2000 --values
facts "the whole with values" the_whole_is_a_part commits.wmk

# ---- chunks that are copied --------------------------------------------------

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -g -static -o places \
	"$SRC/tests/cli/listing/places.c"
"$WAYMARK" record -o long.wmk ./places 8000000 >/dev/null
run "$WAYMARK" cut long.wmk --from work@1000 --to work@7999000 -o part.wmk
check "chunks within the part are copied" grep -qE '^part.wmk: 1 thread, [0-9]+ chunks, [1-9][0-9]* of them copied, ' stdout
run "$WAYMARK" verify part.wmk
check "and it is sound" [ "$status" -eq 0 ]
check "it has as many calls" test "$("$WAYMARK" hot part.wmk --function work --format csv \
	-f executions | tail -n 1)" -eq 7998000
"$WAYMARK" insns long.wmk --from work@7500000 -n 1000 --format csv | cut -d, -f2- >wanted
"$WAYMARK" insns part.wmk --from work@7499001 -n 1000 --format csv | cut -d, -f2- >got
same "behind the copied chunks" wanted got
run "$WAYMARK" diff long.wmk part.wmk --from work@5000000 --from work@4999001 --to work@5001000 \
	--to work@5000001
check "diff says the same" [ "$status" -eq 0 ]

# ---- what is in the new file -------------------------------------------------

run "$WAYMARK" info part.wmk
check "info says what it is a part of" grep -qE '^part of  *instructions [0-9]+,[0-9,]+ to [0-9]+,[0-9,]+ of thread 0 of long.wmk$' stdout
mv places elsewhere
run "$WAYMARK" cut part.wmk --from work@5 --to work@6 -o piece.wmk
"$WAYMARK" hot piece.wmk -q --format csv -f function,insns >got
check "a part of a part has names" grep -q '^work,' got

# What a part does not execute is not in it.
"$WAYMARK" cut long.wmk --from work@1000 --to work@1010 -o few.wmk >/dev/null
known=$("$WAYMARK" info --format json few.wmk | sed -n 's/^  "known_blocks": \([0-9]*\),*$/\1/p')
ran=$("$WAYMARK" sql --format csv few.wmk 'SELECT count(DISTINCT id) FROM blocks' | tail -n 1)
check "a part defines what it executes" test "$known" -eq "$(echo "$ran" | tr -d '\r')"
check "which is sound" "$WAYMARK" verify -q few.wmk

# ---- refused -----------------------------------------------------------------

refused "-o -" 'a trace cannot go to standard output: name a file' "$WAYMARK" cut run.wmk -o -
refused "itself" '*run.wmk is the trace itself; name another' "$WAYMARK" cut run.wmk -o run.wmk
refused "nothing" '*no thread has an instruction in that part' \
	"$WAYMARK" cut run.wmk --from 100000000 -o none.wmk
check "there is no file then" [ ! -e none.wmk ]
refused "a folder that is not there" '*none/part.wmk*' "$WAYMARK" cut run.wmk -o none/part.wmk
finish
