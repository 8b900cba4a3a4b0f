#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The page as a file: what it is called, that it is whole or not there, and the numbers in
# it. How it looks is browser.sh's.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$(dirname "$0")

"$WAYMARK" record -o run.wmk -- "$GUESTS/qsort.O3" >/dev/null
cp run.wmk waymark.wmk

run "$WAYMARK" report
check "the page is waymark.html; nothing is printed" \
	sh -c "[ $status -eq 0 ] && [ -s waymark.html ] && [ ! -s stdout ] && [ ! -s stderr ]"
run "$WAYMARK" report --html - -j 1 run.wmk
same "the same on stdout, whatever the threads" stdout waymark.html
"$WAYMARK" report --html four.html -j 4 run.wmk
same "the same with four" four.html waymark.html
check "it is small" test "$(wc -c <waymark.html)" -lt 5000000
check "the page's mode follows the umask" \
	sh -c '(umask 027; "$WAYMARK" report --html mode.html run.wmk) &&
		[ "$(stat -c %a mode.html)" = 640 ]'
echo old >four.html
"$WAYMARK" report --html four.html run.wmk
same "an old one is replaced" four.html waymark.html
echo old >four.html
ln -s four.html link.html
"$WAYMARK" report --html link.html run.wmk
same "an old one behind a link is replaced" four.html waymark.html
check "the link stays a link" test -L link.html

# ---- numbers, by another way -------------------------------------------------
"$WAYMARK" insns --format csv run.wmk >insns.csv
check "instructions of functions, over time too, are those listed" \
	"$PYTHON" "$here/numbers.py" waymark.html insns.csv
"$WAYMARK" report --html part.html --from 1000 --to 5003 run.wmk
"$WAYMARK" insns --format csv --from 1000 --to 5003 run.wmk >part.csv
check "the same of a part" "$PYTHON" "$here/numbers.py" part.html part.csv
check "where the part ends" grep -q '"from":1000,"to":5003,' part.html
"$WAYMARK" report --html beyond.html --to 1G run.wmk
same "an end behind that of all threads is not told" waymark.html beyond.html

# ---- inlined functions -------------------------------------------------------
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -o inlined "$SRC/tests/cli/names/inlined.c"
"$WAYMARK" record -o inlined.wmk ./inlined 1000 >/dev/null
"$WAYMARK" report --html inlined.html inlined.wmk
"$WAYMARK" hot --format csv inlined.wmk >hot.csv
"$WAYMARK" annotate square --format csv -f address,executions inlined.wmk >annotate.csv
check "inlined functions are functions" \
	"$PYTHON" "$here/inlined.py" inlined.html hot.csv annotate.csv square
"$WAYMARK" report --no-inline --html inlined.html inlined.wmk
check "--no-inline: they are not" sh -c '! grep -q "\"inlined\":" inlined.html'

# ---- coverage ----------------------------------------------------------------
cp "$GUESTS/mutual.O0" lost
"$WAYMARK" record -o lost.wmk ./lost >/dev/null
rm lost
"$WAYMARK" report --html lost.html lost.wmk
check "of a file that is gone it is not known how many functions it has" grep -q \
	'"cover":{"modules":{"in_all":1,"files":\[\[[0-9]*,0,[1-9][0-9]*\]\]' lost.html

# ---- memory ------------------------------------------------------------------
check "without accesses there is no part for memory" sh -c "! grep -q '\"memory\":' waymark.html"
"$WAYMARK" record --mem -o mem.wmk -- "$GUESTS/qsort.O3" >/dev/null
"$WAYMARK" report --html mem.html -j 1 mem.wmk
"$WAYMARK" report --html four.html -j 4 mem.wmk
same "memory: the same with four threads" four.html mem.html
check "memory: as other commands have it" "$PYTHON" "$here/memory.py" mem.html mem.wmk
"$WAYMARK" report --html part.html --from 20000 mem.wmk
check "memory: the same of a part" "$PYTHON" "$here/memory.py" part.html mem.wmk 20000
"$WAYMARK" report --html one.html --to 1 mem.wmk
check "memory: no accesses in a part is said" grep -q \
	'"memory":{"absent":"there are no accesses of memory in the selected part"}' one.html

# ---- what cannot be ----------------------------------------------------------
refused "no such trace" "*none.wmk*" "$WAYMARK" report none.wmk
refused "no such folder" "*none/page.html*" "$WAYMARK" report --html none/page.html run.wmk
run "$WAYMARK" report --function main --html main.html run.wmk
check "one function is not asked for" sh -c "[ $status -eq 2 ] && grep -q 'unrecognized option' stderr && [ ! -e main.html ]"
refused "no such thread" "*thread*" "$WAYMARK" report --thread 77 run.wmk

cp waymark.html before.html
ls -A >before
status=0
(ulimit -f 8 && exec "$WAYMARK" report run.wmk) 2>stderr || status=$?
ls -A >after
check "no room: an error, in one sentence" \
	sh -c "[ $status -eq 2 ] && [ \$(wc -l <stderr) -eq 1 ] && grep -q waymark.html stderr"
same "the old page is as it was" waymark.html before.html
same "no temporary file remains" before after

# ---- without the chart library -----------------------------------------------
mkdir empty bin
printf '#!/bin/sh\nexit 1\n' >bin/npm
chmod +x bin/npm
PATH=$PWD/bin:$PATH WAYMARK_CACHE=$PWD/empty "$PYTHON" "$SRC/tools/make-page.py" \
	page.c page.d "$SRC/report/page" 2>stderr
check "a build without it succeeds with a warning" \
	sh -c 'grep -q "page_head_bytes = 0;" page.c && grep -q "will not work" stderr'
check "and the next one tries again" \
	sh -c 'for file in $(cut -d: -f2 page.d); do [ -e "$file" ] || exit 0; done; exit 1'
finish
