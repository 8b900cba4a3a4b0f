#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts of instructions and ways of branches: of a program where they are known by hand,
# and of others against counting what `insns` lists.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
here=$SRC/tests/cli/hot
export PYTHONPATH="$here"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O0 -g -static -o counted "$here/counted.c"
"$WAYMARK" record -o run.wmk ./counted

# facts NAME FUNCTION ARGUMENT...: of annotate_facts.py.
facts() {
	what=$1
	shift
	check "$what" "$PYTHON" "$SRC/tests/cli/annotate/annotate_facts.py" "$@"
}

# ---- known by hand -----------------------------------------------------------

facts "a loop" a_loop
facts "a nest of loops" a_nest_of_loops
facts "branches both ways" branches_both_ways
facts "a function inside another" a_function_inside_another
facts "shares are of the function" shares_are_of_the_function
facts "what did not run stands there, too" what_did_not_run_stands_there_too
riscv64-linux-gnu-objdump -d --no-show-raw-insn counted >objdump
facts "as many instructions as objdump has" as_many_instructions_as_objdump_has

# ---- against what insns lists ------------------------------------------------

facts "all of a run" all_of "run.wmk"
facts "a part of it" all_of "run.wmk" "--from" 20000 "--to" 24567
for guest in faults/overlap faults/repair faults/storm processes/tree; do
	"$WAYMARK" record -o run.wmk "$GUESTS/$guest.O3" >/dev/null 2>&1 || true
	facts "counts: $guest" all_of "run.wmk" "--to" 200000
done
"$WAYMARK" record -o run.wmk "$GUESTS/mixed.O3" >/dev/null
facts "counts: mixed" all_of "run.wmk"
for jobs in 1 2 7; do
	"$WAYMARK" annotate '*' run.wmk -j $jobs >table.$jobs
done
same "-j 1 and -j 2" table.1 table.2
same "-j 1 and -j 7" table.1 table.7

# ---- inlined functions -------------------------------------------------------

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -g -static -o inlined \
	"$SRC/tests/cli/annotate/inlined.c"
"$WAYMARK" record -o inlined.wmk ./inlined >/dev/null
run "$WAYMARK" annotate mixed inlined.wmk
check "an inlined function is shown" [ "$status" -eq 0 ]
check "and where it is inlined" grep -qE \
	'^waymark: mixed is inlined into (first|second) .inlined.c:[0-9]+. and at 1 more place: ' stderr
facts "with its instructions in both callers" with_its_instructions_in_both_callers
refused "an inlined function that did not run" \
	'*no function "idle" ran: it is inlined into main (inlined.c:*), and did not run there' \
	"$WAYMARK" annotate idle inlined.wmk
for option in --only --except --start --stop; do
	refused "record --no-inline $option of an inlined function" \
		'"mixed" has no code of its own: it is inlined into * and at 1 more place; leave *' \
		"$WAYMARK" record -o none.wmk --no-inline $option mixed ./inlined
done
refused "of a file" '"mixed" has no code of its own*' \
	"$WAYMARK" record -o none.wmk --no-inline --only inlined:mixed ./inlined
refused "a pattern" '"mix?d" has no code of its own*' \
	"$WAYMARK" record -o none.wmk --no-inline --except 'mix?d' ./inlined
for option in --only --except --start; do
	run "$WAYMARK" record -o both.wmk $option both ./inlined
	check "record $option of a function that is also inlined" [ "$status" -eq 0 ]
	check "record $option has both, and does not warn" [ ! -s stderr ]
done
run "$WAYMARK" record -o both.wmk --value both:a0 ./inlined
check "record --value warns of the inlined calls" grep -q \
	'^waymark: both is also inlined into main (inlined.c:[0-9]*): there it is part of' stderr
run "$WAYMARK" record -o both.wmk --only 'bot?' ./inlined
check "but of a pattern not" [ ! -s stderr ]
riscv64-linux-gnu-strip -g inlined
refused "without debugging information" './inlined has no function "mixed"*' \
	"$WAYMARK" record -o none.wmk --only mixed ./inlined

# ---- only the chunks that a function's branches ran in -------------------------

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -g -static -o long \
	"$SRC/tests/cli/listing/places.c"
"$WAYMARK" record -q -o long.wmk ./long 10000000
check "a run of several chunks" test "$("$WAYMARK" info long.wmk |
	sed -n 's/^file .* in \([0-9]*\) chunks*$/\1/p')" -ge 3
"$WAYMARK" annotate '*' --format csv -f function,place,executions,taken,not_taken long.wmk >all
for function in main work exit _start _IO_cleanup; do
	{ head -n 1 all && grep "^$function," all; } >wanted
	"$WAYMARK" annotate $function --format csv \
		-f function,place,executions,taken,not_taken long.wmk >got 2>err || cat err
	same "$function has in some chunks what it has in all" got wanted
done

# ---- sources that were moved ---------------------------------------------------

mkdir -p tree/src moved/src sysroot/"$PWD/tree/src" flat
cp "$here/counted.c" tree/src/counted.c
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O0 -g -static -o built "$PWD/tree/src/counted.c"
"$WAYMARK" record -q -o built.wmk ./built >/dev/null
texts() { # [OPTION...]: the lines of source of a function
	"$WAYMARK" annotate pick --format csv -f text "$@" built.wmk
}
texts >wanted
check "the source is where it was" grep -q return wanted
mv tree/src/counted.c moved/src/counted.c
texts >none
check "the source is gone" sh -c "! grep -q return none"
for folder in moved moved/src; do
	texts --symfs $folder >got
	same "--symfs $folder has it" got wanted
done
# At its whole path below the folder, before others.
sed s/return/RETURN/ moved/src/counted.c >sysroot/"$PWD"/tree/src/counted.c
cp moved/src/counted.c sysroot/counted.c
texts --symfs sysroot >got
check "--symfs with the whole path" grep -q RETURN got
# What is no regular file is not waited for.
mkfifo tree/src/counted.c
texts >got
same "a FIFO has no text" got none

# ---- refused -----------------------------------------------------------------

refused "no such function" '*no function "nowhere" ran*' "$WAYMARK" annotate nowhere run.wmk
run "$WAYMARK" annotate
check "no function" test "$status" -eq 2
check "no function is understood" grep -q 'which function' stderr
run "$WAYMARK" annotate run.wmk
check "nor one of a trace" test "$status" -eq 2
check "that is no function's name" grep -q 'which function' stderr
"$WAYMARK" annotate main run.wmk >listed
"$WAYMARK" annotate run.wmk main >turned
same "the trace may come first" turned listed
"$WAYMARK" annotate --function main run.wmk >turned
same "the function may be an option" turned listed
finish
