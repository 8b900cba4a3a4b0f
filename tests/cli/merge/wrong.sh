#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# State files that do not fit together, that are damaged, or that were made to do harm.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

"$WAYMARK" record -o a.wmk "$GUESTS/longjmp.O0" >/dev/null
"$WAYMARK" record -o b.wmk "$GUESTS/signal.O3" >/dev/null
for i in 1 2 3; do
	"$WAYMARK" hot --part $i/3 --state a$i.wms a.wmk
done
"$WAYMARK" hot --part 2/3 --state b2.wms b.wmk
"$WAYMARK" hot --part 2/4 --state four.wms a.wmk
"$WAYMARK" hot --by block --part 2/3 --state block.wms a.wmk
cp a1.wms again.wms

refused "one is missing" "*part 2 of 3 is missing" "$WAYMARK" merge a1.wms a3.wms
refused "several are missing" "*2 of 3 parts are missing, the first is 1" \
	"$WAYMARK" merge a3.wms
refused "one is there twice" "*part 1 of 3 is in two files: a1.wms and again.wms" \
	"$WAYMARK" merge a1.wms again.wms a2.wms a3.wms
refused "of another number of parts" "*four.wms has a part of 4, other files of 3" \
	"$WAYMARK" merge a1.wms four.wms a3.wms
refused "of another question" "*block.wms is of another question: waymark hot --by block" \
	"$WAYMARK" merge a1.wms block.wms a3.wms
refused "of another trace" "*b2.wms was computed from another trace" \
	"$WAYMARK" merge a1.wms b2.wms a3.wms
refused "the trace is another" "*a1.wms was computed from another trace" \
	"$WAYMARK" merge --trace b.wmk a1.wms a2.wms a3.wms
refused "--after is of another question" "*block.wms is of another question: waymark hot --by block" \
	"$WAYMARK" hot --part 1/3 --state new.wms --after block.wms a.wmk
mv a.wmk there.wmk
refused "the trace is gone" "*a.wmk, which the parts were computed from, is not there: --trace says*" \
	"$WAYMARK" merge a1.wms a2.wms a3.wms
mv there.wmk a.wmk
refused "no state" "*a.wmk is no state that waymark wrote*" "$WAYMARK" merge a.wmk
# Nothing of it is spooled.
truncate -s 4G large
refused "no state, and large" "large is no state that waymark wrote*" \
	env TMPDIR="$PWD/none" "$WAYMARK" merge large
rm large
refused "no trace" "*a1.wms: a part of an answer, for waymark merge, and no trace*" \
	"$WAYMARK" hot a1.wms
for bytes in 4 31; do
	head -c $bytes a1.wms >short.wms
	refused "no trace, of $bytes bytes" "*short.wms: a part of an answer*that was cut short*" \
		"$WAYMARK" hot short.wms
done
refused "no file" "*nothing.wms: No such file*" "$WAYMARK" merge nothing.wms
refused "a folder" "*no state*" "$WAYMARK" merge .
mkfifo pipe
refused "a pipe" "*no state*" "$WAYMARK" merge pipe
refused "the state cannot be written" "*no/a.wms*" \
	"$WAYMARK" hot --part 1/3 --state no/a.wms a.wmk

misused "no files" "no state file is given" "$WAYMARK" merge
misused "a part alone" "--part and --state go together" "$WAYMARK" hot --part 1/3 a.wmk
misused "a state alone" "--part and --state go together" \
	"$WAYMARK" hot --state new.wms a.wmk
for part in 0/3 4/3 1 1/ /3 1/3x 1/99999 -1/3; do
	misused "part $part" "--part wants I/N*" \
		"$WAYMARK" hot --part=$part --state new.wms a.wmk
done
misused "a file beside the answer" "*cannot write --cachegrind*" \
	"$WAYMARK" cache --cachegrind new.txt --part 1/2 --state new.wms a.wmk
misused "files beside it" "*cannot write --simpoint*" \
	"$WAYMARK" phases --simpoint new --part 1/2 --state new.wms a.wmk
misused "another file" "*--part takes --format instead of options*" \
	"$WAYMARK" cover --lcov new.info --part 1/2 --state new.wms a.wmk
misused "-o" "*give -o to merge*" \
	"$WAYMARK" hot -o new.txt --part 1/2 --state new.wms a.wmk
check "nothing is left behind" test ! -e new.wms -a ! -e new.info -a ! -e new.txt -a ! -e new.bb

# Several traces: they are compared one by one.
for i in 1 2; do
	"$WAYMARK" hot --part $i/2 --state s$i.wms a.wmk b.wmk
done
refused "--trace is one of several" "*--trace names one trace, and this question is about 2*" \
	"$WAYMARK" merge --trace a.wmk s1.wms s2.wms
refused "the answer about one trace is missing" "*part 2 of 2 is missing" "$WAYMARK" merge s1.wms
"$WAYMARK" hot --part 2/2 --state other.wms b.wmk a.wmk
refused "in another order" "*not the trace that the parts were computed from" \
	"$WAYMARK" merge s1.wms other.wms
mv b.wmk kept.wmk
cp a.wmk b.wmk
refused "one of them is another now" "*b.wmk: it is not the trace that the parts*" \
	"$WAYMARK" merge s1.wms s2.wms
mv kept.wmk b.wmk

for i in 1 2; do
	"$WAYMARK" cover --part $i/2 --state c$i.wms a.wmk b.wmk
done
"$WAYMARK" cover --part 2/2 --state other.wms b.wmk a.wmk
refused "cover: in another order" "*not the trace that the parts were computed from" \
	"$WAYMARK" merge c1.wms other.wms

# Every byte counts; and what a hostile file asks for is not done.
"$PYTHON" "$SRC/tests/cli/merge/hostile.py" "$WAYMARK" a1.wms a2.wms a3.wms
"$PYTHON" "$SRC/tests/cli/merge/hostile.py" "$WAYMARK" s1.wms s2.wms
"$PYTHON" "$SRC/tests/cli/merge/hostile.py" "$WAYMARK" c1.wms c2.wms
"$WAYMARK" record --mem -o mem.wmk "$GUESTS/status.O0" >/dev/null || true
"$WAYMARK" mem -n 20 --part 1/1 --state mem.wms mem.wmk
"$PYTHON" "$SRC/tests/cli/merge/hostile.py" "$WAYMARK" mem.wms
"$WAYMARK" mem --format din -n 9 --part 1/1 --state din.wms mem.wmk
"$PYTHON" "$SRC/tests/cli/merge/hostile.py" "$WAYMARK" din.wms
"$WAYMARK" mem --last-writer 0x10000 --part 1/1 --state last.wms mem.wmk
"$PYTHON" "$SRC/tests/cli/merge/hostile.py" "$WAYMARK" last.wms
# What a last cache is asked, and a log.
"$WAYMARK" record --mem --last=52k -o chunks.wmk "$GUESTS/churn.O0" >/dev/null
for i in 1 2; do
	"$WAYMARK" cache --by level --shared-llc --l1d 64,1,32 --l1i 64,1,32 --part $i/2 \
		--state asked$i.wms chunks.wmk
done
"$PYTHON" "$SRC/tests/cli/merge/hostile.py" "$WAYMARK" asked1.wms asked2.wms
"$PYTHON" "$SRC/tests/cli/merge/hostile.py" "$WAYMARK" asked2.wms asked1.wms
finish
