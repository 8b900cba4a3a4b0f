#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What formats with memory accesses need of a recording, and which options go with them. That
# they are right: tests/differential/exports.sh.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$WAYMARK" record -o plain.wmk "$GUESTS/tight.O3" >/dev/null
"$WAYMARK" record --mem -o addresses.wmk "$GUESTS/tight.O3" >/dev/null
refused "no accesses" '*plain.wmk*no accesses of memory*--mem*' "$WAYMARK" export din plain.wmk
for format in commits riscvdv; do
	refused "$format without accesses" "*plain.wmk*no data*$format*--mem-values*" \
		"$WAYMARK" export $format plain.wmk
	refused "$format without data" "*addresses.wmk*no data*$format*--mem-values*" \
		"$WAYMARK" export $format addresses.wmk
done
# A program's privilege needs no events.
"$WAYMARK" record --mem-values --events='-*,fork' -o data.wmk "$GUESTS/tight.O3" >/dev/null
"$WAYMARK" export commits data.wmk -n 100 >got 2>remark
check "registers that are not there are said" grep -q 'only what loads write is here: .* --commits' remark
"$WAYMARK" record --commits -o commits.wmk "$GUESTS/tight.O3" >/dev/null
"$WAYMARK" export commits commits.wmk -n 100 >all 2>remark
check "with all of them nothing is" test ! -s remark
check "a program is user mode" test "$(grep -c '^core   0: 0 0x' got)" -eq 100
for option in --reuse --function=main; do
	run "$WAYMARK" mem --format din $option addresses.wmk
	check "no $option with it" test "$status" -eq 2 -a ! -s stdout
	check "which is said" grep -q "^waymark mem: --format din .*no other option" stderr
done

"$WAYMARK" export din addresses.wmk >all
"$WAYMARK" export din addresses.wmk -n 10 >got
awk '$1 == 2 && ++n > 10 { exit } { print }' all >wanted
same "-n counts instructions" wanted got
"$WAYMARK" export lackey addresses.wmk --thread 0 --from 100 --to 100 >got
check "an empty part" test ! -s got
check "ChampSim's records" test "$("$WAYMARK" export champsim addresses.wmk | wc -c)" = \
	"$(($(grep -c '^2' all) * 64))"
finish
