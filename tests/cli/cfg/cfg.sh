#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The control-flow graph of a program whose every count is known, and of others against
# the listing of their instructions, added up by another program.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -static -o loops \
	"$SRC/tests/cli/cfg/loops.c"
"$WAYMARK" record -o run.wmk ./loops
"$WAYMARK" cfg run.wmk >json

# facts NAME FUNCTION ARGUMENT...: of cfg_facts.py.
facts() {
	what=$1
	shift
	check "$what" "$PYTHON" "$SRC/tests/cli/cfg/cfg_facts.py" "$@"
}

# ---- a program whose counts are known ----------------------------------------

facts "loops in a loop, of two symbols" loops_in_a_loop_of_two_symbols
facts "a circle that is entered in two places" a_circle_that_is_entered_in_two_places
facts "a jump whose target is computed" a_jump_whose_target_is_computed
facts "calls, returns and a tail call" calls_returns_and_a_tail_call
facts "faults in a loop" faults_in_a_loop
facts "code and bytes are those of the listing" code_and_bytes_are_those_of_the_listing

# ---- other programs: the same from a listing of instructions -----------------


facts "the same by hand" same_as_witness "run.wmk"
# How long a program takes to start depends on its environment.
insns=$("$WAYMARK" info --format json run.wmk | sed -n 's/^ *"instructions": \([0-9]*\),$/\1/p' | head -n 1)
facts "the same by hand, of a part" same_as_witness "run.wmk" "--from" "3333" "--to" $((insns - 1000))
for program in signal.O3 fnptr.nc switch.O0 tailcall.O3 threads/names.O3 processes/tree.O3; do
	"$WAYMARK" record -o other.wmk "$GUESTS/$program" >/dev/null
	facts "the same by hand: $program" same_as_witness "other.wmk" "--to" "150000"
done
"$WAYMARK" record -L /usr/riscv64-linux-gnu -o other.wmk "$GUESTS/longjmp.dyn" >/dev/null
facts "the same by hand: longjmp.dyn" same_as_witness "other.wmk" "--to" "150000"

# ---- other machines: by mnemonics --------------------------------------------

cat >square.c <<'SOURCE_ENDS'
int main(int argc, char **argv)
{
	(void)argv;
	for (volatile int i = 0; i < 1000; i++)
		argc += argc > 1;
	return argc - 1;
}
SOURCE_ENDS
for isa in aarch64-linux-gnu arm-linux-gnueabihf i686-linux-gnu; do
	$isa-gcc -O1 -static -o square square.c
	"$WAYMARK" record -o isa.wmk ./square
	facts "$isa: all that ran, and a loop" isa_all_that_ran_and_a_loop
done

# ---- loops as a table --------------------------------------------------------

"$WAYMARK" cfg run.wmk --loops --function "nest*" --format csv -f function,offset,kind,depth,blocks,entries,iterations,trips,insns >csv
cat >wanted <<'TABLE_ENDS'
function,offset,kind,depth,blocks,entries,iterations,trips,insns
nest,0x4,loop,1,5,3,21,7.000000,336
nest,0xc,loop,2,1,21,105,5.000000,210
TABLE_ENDS
same "--loops" wanted csv
# down(4) runs 1 time with 4, 2 with 3, 4 with 2, 8 with 1, 16 with 0: 1 time around.
"$WAYMARK" cfg run.wmk --loops --trips --format csv -f function,offset,entries,iterations,least,most |
	grep -E "^(nest|around|down|fault_in)," | sort >csv
cat >wanted <<'TABLE_ENDS'
around,0x4,2,10,1,9
down,0x20,15,30,,
down,0x4,31,42,1,4
fault_in,0x0,1,6,6,6
nest,0x4,3,21,7,7
nest,0xc,21,105,5,5
TABLE_ENDS
same "--trips: of loops with calls in recursion nothing is known" wanted csv
facts "--trips, in json" trips_in_json
check "--loops, as text" sh -c '"$WAYMARK" cfg run.wmk --loops --function twins | grep -q "^twins  *0x8 .* irreducible .* 2 .* 80 "'
check "--loops -n -s" test "$("$WAYMARK" cfg run.wmk --loops -n 3 -s iterations --format csv | wc -l)" -eq 4

# ---- parts, and other forms --------------------------------------------------

facts "--function, with what is around it" function_with_what_is_around_it
facts "--hot" hot
for option in "--hot 40" "--function nest*" "--function main --hot 3"; do
	# shellcheck disable=SC2086 # words
	"$WAYMARK" cfg run.wmk --format dot $option >dot
	check "dot takes it: $option" dot -Tsvg -o svg dot
done
"$WAYMARK" cfg run.wmk --format dot --function "nest*" >dot
check "nodes have counts and code" grep -qE 'b[0-9]+ \[label="105×\\l[0-9a-f]+  addi +t1,t1,-1\\l[0-9a-f]+  bnez +t1,-4 .*fillcolor' dot
check "edges have counts" grep -qE '^ +b[0-9]+ -> b[0-9]+ \[label="84", color' dot
check "functions are boxes" test "$(grep -c 'subgraph cluster' dot)" -eq 2
check "what is outside is one node" test "$(grep -c 'label="main", shape=ellipse' dot)" -eq 1
run "$WAYMARK" cfg run.wmk --format dot
check "a drawing is no wallpaper" test "$(grep -c fillcolor=\"0.03 stdout)" -eq 60
check "and says so" grep -q 'of [0-9,]* blocks the 60 hottest are drawn' stderr

# Graphviz fails at edges that go round from one cluster to another, if they constrain the layout.
for guest in churn fault float; do
	run "$WAYMARK" record -o hot.wmk "$GUESTS/$guest.O3"
	"$WAYMARK" cfg hot.wmk --format dot >dot 2>/dev/null
	run dot -Tsvg -o svg dot
	check "dot draws all edges: $guest" \
		sh -c 'test "$0" -eq 0 && test ! -s stdout && test ! -s stderr' "$status"
done

for form in "--format json" "--format dot" "--loops --format csv"; do
	for jobs in 1 2 3; do
		# shellcheck disable=SC2086 # words
		"$WAYMARK" cfg other.wmk $form -j $jobs >jobs.$jobs 2>/dev/null
	done
	check "the same for every -j: $form" cmp jobs.1 jobs.2
	check "the same for every -j: $form" cmp jobs.1 jobs.3
done

# ---- refused -----------------------------------------------------------------

run "$WAYMARK" cfg run.wmk --function nobody
check "no such function" test "$status" -eq 2 -a ! -s stdout
check "and which" grep -q 'no function "nobody" ran' stderr
run "$WAYMARK" cfg run.wmk --format csv
check "a graph is no csv" test "$status" -eq 2
run "$WAYMARK" cfg run.wmk --loops --format dot
check "loops are no drawing" test "$status" -eq 2
run "$WAYMARK" cfg run.wmk --hot 0
check "--hot 0" test "$status" -eq 2
run "$WAYMARK" cfg run.wmk -n 5
check "-n without --loops" test "$status" -eq 2
run "$WAYMARK" cfg run.wmk --loops -s nonsense
check "no such column" test "$status" -eq 2
"$WAYMARK" record -o none.wmk --window marker:99.. -- ./loops >/dev/null 2>&1 || true
run "$WAYMARK" cfg none.wmk
check "a run of which nothing was recorded" grep -q '^{"insns":0,"blocks":\[\],' stdout
run sh -c "'$WAYMARK' cfg run.wmk >/dev/full"
check "full disk" test "$status" -eq 2 -a -s stderr
finish
