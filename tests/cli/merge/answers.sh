#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Answers merged from parts are those of the same commands without --part, whatever the number
# of parts, of recordings with many small chunks.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

tools=$BUILD/tests/unit

# part NAME I N WORD...: part I of N of that command goes to NAME.I.wms.
part() {
	name=$1 i=$2 n=$3
	shift 3
	run "$WAYMARK" "$@" --part "$i/$n" --state "$name.$i.wms"
	[ "$status" -eq 0 ] && [ ! -s stdout ] && [ ! -s stderr ]
}

# parts NAME N WORD...: all N parts.
parts() {
	all=$1 n=$2
	shift 2
	for i in $(seq "$n"); do
		part "$all" "$i" "$n" "$@" || return 1
	done
}

# merged WORD...: of 1, 2, 3 and 5 parts.
merged() {
	run "$WAYMARK" "$@"
	mv stdout wanted
	good=yes
	for pieces in 1 2 3 5; do
		parts p $pieces "$@" || good="part $i/$pieces: $(cat stdout stderr)"
		"$WAYMARK" merge p.?.wms >got 2>err || good="merge of $pieces: $(cat err)"
		cmp -s wanted got || good="$pieces parts: $(diff wanted got | head -n 5)"
		rm -f p.?.wms
	done
	[ -s wanted ] || good="no answer"
	check "$*" test "$good" = yes
}

# record NAME BLOCKS WORD...: in chunks of so many blocks.
record() {
	name=$1 blocks=$2
	shift 2
	"$WAYMARK" record -L /usr/riscv64-linux-gnu -o long.wmk "$@" >/dev/null
	"$tools/rechunk" long.wmk "$name" "$blocks"
}

record longjmp.wmk 20000 "$GUESTS/longjmp.O0"
record threads.wmk 900 "$GUESTS/threads/names.O3"
while read -r question; do
	# shellcheck disable=SC2086 # words
	merged $question threads.wmk
done <<END
hot --format csv
hot --by block
hot --by line -j1
hot --by loop --jobs 2
annotate main
cover
cover --by branch
cover --format lcov
mix
mix --interval 1000 --format json
cfg
cfg --loops --trips
cfg --format dot
calls
calls --graph
calls --format folded
calls --tree
calls --tree -F main -D 3 --format csv
calls --tree -N *mutex* -n 50 --format json
hot --from 1000 --to 20000
END
merged calls longjmp.wmk
merged calls --tree longjmp.wmk
merged phases longjmp.wmk
mv threads.wmk waymark.wmk
merged hot

# A chunk for each thread.
"$WAYMARK" record -L /usr/riscv64-linux-gnu --mem -o mem.wmk "$GUESTS/threads/names.O3" >/dev/null
merged mem --by function mem.wmk
merged mem --working-set --format csv mem.wmk
merged mem --reuse mem.wmk

# In the order of execution: predictors, whole threads at a time, and caches, in small chunks.
"$WAYMARK" record --mem --last=256k -o churn.wmk "$GUESTS/churn.O0" >/dev/null
small="--l1i 1k,2,32 --l1d 512,4,16 --l2 4k,8,32,plru,stride --llc 16k,16,64,random,next-line"
while read -r question; do
	# shellcheck disable=SC2086 # words
	merged $question mem.wmk
	# shellcheck disable=SC2086 # words
	merged $question churn.wmk
done <<END
bpred --format csv
cache --by level
cache --by line $small --format csv
cache --interval 5003 -j 2
cache --by object --from 1000
cache --by level --l1d 1k,2,32,through
END

# In two rounds: trips of loops need the edges of all.
loops() { "$WAYMARK" cfg --loops --trips longjmp.wmk "$@"; }
loops >wanted
parts edges 3 cfg --loops --trips longjmp.wmk
"$WAYMARK" merge edges.1.wms edges.3.wms --state some.wms
"$WAYMARK" merge --state all.wms some.wms edges.2.wms
parts trips 2 cfg --loops --trips longjmp.wmk --after all.wms
"$WAYMARK" merge trips.2.wms all.wms trips.1.wms >got
same "two rounds" wanted got
"$WAYMARK" merge all.wms >got
same "the second round here" wanted got
refused "no third round" "*no part is left*" "$WAYMARK" cfg --loops --trips longjmp.wmk \
	--after all.wms --after trips.1.wms --after trips.2.wms --part 1/2 --state third.wms

# From elsewhere, with the trace's name as it was typed or another.
mkdir elsewhere
(cd elsewhere && "$WAYMARK" merge ../edges.?.wms) >got
same "in another folder" wanted got
mv longjmp.wmk elsewhere
"$WAYMARK" merge --trace elsewhere/longjmp.wmk edges.?.wms -o got
same "of a trace that was moved" wanted got
finish
