#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Mispredictions against a listing of the same trace and predictors written another way; the
# same for any -j; tables that agree with each other; what is refused.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

# record PROGRAM [EMULATOR]: run.wmk
record() {
	"$WAYMARK" record --qemu "${2-$QEMU}" -o run.wmk -L /usr/riscv64-linux-gnu \
		-- "$GUESTS/$1" >out 2>&1 || true
}

# counted NAME FROM TO OPTION...: run.wmk
counted() {
	what=$1
	shift
	if "$PYTHON" "$SRC/tests/cli/bpred/reference.py" run.wmk "$@" >verdict 2>&1; then
		passed "$what: $4 ($(cat verdict))"
	else
		failed "$what: $4" "$(cat verdict)"
	fi
}

record switch.O3
counted switch 0 80000 --predictor bimodal,entries=64
counted switch 100000 180000 --predictor gshare,entries=512,history=9
counted switch 0 80000 --predictor tage,tables=3,entries=16,history=3,tag=5,base=16,aging=500
counted switch 0 60000 --btb entries=8,ways=1,path=12
record deep.O3
counted deep 0 60000 --returns 4
counted deep 0 60000 --returns 0
record fnptr.O3
counted fnptr 7 60000 --btb entries=8,ways=4
record signal.O3
counted signal 0 1000000 --predictor tage,history=2
record fault.O3
counted fault 0 1000000 --predictor gshare
record threads/mainfirst.O3
counted "two threads" 0 60000 --predictor gshare,entries=64,history=6
"$SRC/tests/guests/build-isas.sh" --one "$GUESTS" aarch64 x86_64 i386
record x86_64/signal.O3 qemu-x86_64
counted x86_64 0 1000000 --predictor gshare,entries=256,history=8
for isa in x86_64 i386; do
	record $isa/ownplace.O2 qemu-$isa
	counted "$isa, calls of the next instruction" 0 1000000 --returns 8
done
record aarch64/signal.O2 qemu-aarch64
counted AArch64 0 1000000 --predictor tage

# ---- one answer --------------------------------------------------------------

record threads/names.O3
for by in function branch kind; do
	for threads in 1 2 5; do
		"$WAYMARK" bpred run.wmk --by $by -j $threads --format csv >csv.$threads
	done
	same "by $by, -j 2" csv.1 csv.2
	same "by $by, -j 5" csv.1 csv.5
done

# sums WORD...: mispredictions and executions of all rows
sums() {
	"$WAYMARK" bpred run.wmk -f mispredicted,executions --format csv "$@" |
		awk -F, 'NR > 1 { a += $1; b += $2 } END { print a, b }'
}
"$WAYMARK" bpred run.wmk --by kind -f mispredicted,executions --format csv |
	tail -n 1 | tr , ' ' >all
sums --by function >functions
same "functions add up" all functions
sums --by branch >branches
same "branches add up" all branches
sums --by branch --function 'm*' >branches
sums --by function --function 'm*' >functions
same "branches of functions add up to these" functions branches
"$WAYMARK" bpred run.wmk --by function --format csv >functions
check "misses by kind add up in a function" awk -F, \
	'NR > 1 && $1 != $7 + $8 + $9 { bad = 1 } END { exit bad || NR < 5 }' functions

# ---- what is refused ---------------------------------------------------------

refused "a trace there is not" "*nothing.wmk*" "$WAYMARK" bpred nothing.wmk

# usage PATTERN WORD...
usage() {
	text=$1
	shift
	misused "$*" "$text" "$WAYMARK" bpred run.wmk "$@"
}

usage 'there is no predictor "crystal"*' --predictor crystal,ball=1
usage 'a predictor has no setting "tag=9"; there are entries=N, history=N' --predictor gshare,tag=9
usage 'a predictor has no setting "entries"*' --predictor bimodal,entries
usage 'a predictor has no setting ""*' --predictor bimodal,
usage 'entries takes a power of two from 2 to 16777216, not "100"*' \
	--predictor bimodal,entries=100
usage 'history takes a number from 1 to 2048, not "0"*' --predictor gshare,history=0
usage '64 entries have no room for a history of 7 outcomes*' \
	--predictor gshare,entries=64,history=7
usage 'the history of the last table would be 2560 outcomes*' \
	--predictor tage,tables=10,history=5
usage '2 entries cannot have 4 ways*' --btb entries=2
usage '--returns takes a number from 0 to 65536*' --returns 70000
usage '--by takes function, branch or kind*' --by colour
finish
