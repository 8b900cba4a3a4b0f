#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Accesses up to an instruction, in several threads and chunks: those of the list of all.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -pthread -o weave "$SRC/tests/cli/merge/weave.c"
"$WAYMARK" record --mem --last=64k -o weave.wmk ./weave >/dev/null
mem() { "$WAYMARK" mem weave.wmk --format csv -f insn,thread,kind,address "$@"; }
mem >all.csv
check "there are several threads" test "$(cut -d, -f2 all.csv | sort -u | wc -l)" -gt 3

for to in 3000 40000 200000; do
	mem --to $to >got
	awk -F, -v to=$to 'NR == 1 || $1 < to' all.csv >want
	same "up to instruction $to, of all threads" want got
done

# A byte that a thread stores to in each of its rounds, so in each of its chunks.
address=$(awk -F, '$2 == 1 && $3 == "store" { n[$4]++ } END { for (a in n) if (n[a] > 150) print a }' \
	all.csv | sort | head -n 1)
for from in 20000 90000 150000 210000; do
	mem --thread 1 --last-writer "$address@$from" | tail -n 1 >got
	awk -F, -v a="$address" -v to=$from \
		'$1 < to && $2 == 1 && $3 == "store" && $4 == a { last = $0 } END { print last }' \
		all.csv >want
	check "the last store before instruction $from" test -s want
	same "is the last one of the list" want got
done
finish
