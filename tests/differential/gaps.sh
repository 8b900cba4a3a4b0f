#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A trace with gaps and the full trace of the same program: what is recorded is the full one's
# in order, what is not is counted, and analyses tell of the recorded part what they tell of
# the whole.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
sysroot=/usr/riscv64-linux-gnu
guest=$GUESTS/qsort.dyn

record() {
	name=$1
	shift
	"$WAYMARK" record -o "$name.wmk" -L "$sysroot" "$@" -- "$guest" >/dev/null
}

# lines FILE: what ran, without ordinals and gaps.
lines() {
	"$WAYMARK" insns --no-events --format execlog "$1.wmk"
}

# key FILE KEY: of `info`.
key() {
	"$WAYMARK" info --format json "$1.wmk" |
		"$PYTHON" "$SRC/tests/differential/gaps_facts.py" fact "$2"
}

# whole NAME FILE: all that ran was recorded, or counted, and the trace says so.
whole() {
	check "$1" [ $(($(key "$2" instructions) + $(key "$2" passed))) = "$(key full instructions)" ]
	check "$1: exactly" [ "$(key "$2" passed_exact)" = True ]
	"$WAYMARK" info "$2.wmk" >said
	check "$1: info shows it" grep -q '^left out  *[0-9]' said
}

record full

# ---- windows: from one instruction to another --------------------------------

# A static program: libraries are at random addresses since QEMU 8.1.
guest=$GUESTS/qsort.O3
record static
record windows --window insn:1000..insn:3000 --window insn:200000..insn:200500
guest=$GUESTS/qsort.dyn
lines static | sed -n '1001,3000p; 200001,200500p' >expected
lines windows >got
same "windows have the instructions that ran in them" expected got
"$WAYMARK" insns --no-events windows.wmk | grep -n ' \.\.\.  ' >got
printf '%s\n' '1:       ...  not recorded: 1,000 instructions' \
	'2002:       ...  not recorded: 197,000 instructions' \
	'2503:       ...  not recorded' >expected
same "gaps have the number of instructions between" expected got

check "what ran after the last window was not counted" [ "$(key windows passed_exact)" = False ]
"$WAYMARK" info windows.wmk >said
check "so info shows a minimum" grep -q '^left out *at least [0-9]' said

record open --window insn:1000..insn:3000 --start insn:200000
whole "up to a window without an end all is counted" open
record missed --window insn:1000..insn:3000 --window insn:100G.. 2>err || true
whole "before a window that never opens it is" missed

# Who calls exit() while it is not recorded has run what it was counted to; who is killed
# then need not have run all of its last block.
for end in "exit 3" fault; do
	# shellcheck disable=SC2086 # two words
	run "$WAYMARK" record -o ended.wmk --window insn:100..insn:200 --window insn:100G.. \
		"$GUESTS/processes/die.O3" $end
	key ended passed_exact
done >exact
check "ends that are certain, and not" [ "$(cat exact)" = "$(printf 'True\nFalse')" ]

# ---- the program without its libraries ---------------------------------------

record user --user-code
whole "what is left out is counted" user
# by where the program is mapped
range=$("$WAYMARK" info --format json full.wmk | \
	"$PYTHON" "$SRC/tests/differential/gaps_facts.py" range_of_module)
# shellcheck disable=SC2086 # two words
lines full | "$PYTHON" "$SRC/tests/differential/gaps_facts.py" inside_range $range >expected
lines user >got
same "its instructions, in order" expected got

# calls FILE: of the program's own functions, which the library calls back.
calls() {
	"$WAYMARK" calls --format csv -f function,self_insns,calls,min_insns,max_insns \
		--function 'by_*' "$1.wmk"
}
calls full >expected
calls user >got
same "calls by the library" expected got

# ways FILE: both ways of the branches of functions that have no gaps in them.
ways() {
	"$WAYMARK" annotate 'by_*' --format csv -f executions,taken,not_taken,address "$1.wmk"
}
ways full >expected
ways user >got
same "ways of branches" expected got

# ---- one function ------------------------------------------------------------

record only --only by_key
whole "what a filter leaves out is counted" only
# What is inlined elsewhere belongs to where it is: --only does not take it.
for run in full only; do
	"$WAYMARK" hot --no-inline --format csv -f insns,executions,function $run.wmk |
		grep by_key >$run.csv
done
same "one function, all of it" full.csv only.csv
"$WAYMARK" diff only.wmk only.wmk >stdout
check "it is the same as itself" grep -q '^identical' stdout
finish
