#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# waymark export: every format of the registry is what the command for its data prints, and
# has its entry in the manual.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >hand.c <<'END'
#include "waymark-mark.h"
void _start(void)
{
	for (volatile int i = 0; i < 3; i++) {
		WAYMARK_BEGIN(7);
		WAYMARK_END(7);
	}
	__asm__ volatile("li a7, 93; li a0, 0; ecall");
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -nostdlib -static -I"$SRC/include" -o hand hand.c
"$WAYMARK" record --mem --mem-values -o run.wmk ./hand
page=$SRC/docs/man/waymark-export.1.scd

run "$WAYMARK" export --list
check "--list" test "$status" -eq 0 -a ! -s stderr
sed 1d stdout >list
"$WAYMARK" export --list -o listed >stdout
check "--list -o writes that" sh -c '[ ! -s stdout ] && sed 1d listed | cmp - list'
run "$WAYMARK" export --list=calls -o /dev/full
check "--list -o where nothing can be written" test "$status" -eq 2 -a "$(wc -l <stderr)" -eq 1
check "there are formats" test "$(wc -l <list)" -ge 20
check "no format stands twice" sh -c '[ -z "$(cut -d" " -f1 list | sort | uniq -d)" ]'

run "$WAYMARK" export --help
check "--help has them, too" sh -c '[ "$(tail -n "$(wc -l <list)" stdout)" = "$(cat list)" ]'
check "what a recording needs is said" grep -qE '^mem-din .*; needs --mem$' list

while read -r full command extension what; do
	name=${full#"$command"-}
	"$WAYMARK" "$command" --format "$name" run.wmk >wanted 2>/dev/null </dev/null
	run "$WAYMARK" export "$full" run.wmk
	same "$full is what $command --format $name prints" wanted stdout
	run "$WAYMARK" export "$full" run.wmk -o out
	check "$full -o" test "$status" -eq 0 -a ! -s stdout
	same "$full -o writes that" wanted out
	check "$full has words" test -n "$what"
	check "$full has its extension" test "${extension#.}" = "$extension" -a -n "$extension"
	check "$full is in the manual" grep -qE "^\\*.*\\*$full\\*|^\\*$full\\*" "$page"
	rm out
done <list

cut -d' ' -f1 list | sort >in_list
sed -n '/^# FORMATS/,/^# EXIT/s/^\*/\*/p' "$page" | grep -oE '\*[a-z]+(-[a-z]+)+\*' | tr -d '*' | sort >in_page
same "the manual has no others" in_list in_page

# ---- files that options of commands write ------------------------------------

"$WAYMARK" cover --lcov a.info --drcov a.drcov run.wmk >/dev/null
"$WAYMARK" phases --simpoint sp run.wmk >/dev/null 2>&1
# Where there is no room for all of it, the old file stays. Some formats are written line by
# line, others at once; both say which file it is.
for format in spike blocks-pc lcov callgrind pprof; do
	[ "$("$WAYMARK" export $format run.wmk 2>/dev/null | wc -c)" -gt 512 ] || continue
	mkdir full
	echo old >full/out
	status=0
	(ulimit -f 1 && exec "$WAYMARK" export $format run.wmk -o full/out) 2>stderr || status=$?
	check "$format without room: the old file stays, alone" \
		test "$status.$(cat full/*)" = 2.old
	check "$format without room: the file's name is said" grep -q 'cannot write full/out: ' stderr
	rm -r full
done

mkdir folder
for format in lcov drcov bb simpoints weights; do
	"$WAYMARK" export $format run.wmk -o folder 2>/dev/null
done
same "lcov is what --lcov writes" a.info folder/run.info
same "drcov is what --drcov writes" a.drcov folder/run.drcov
for extension in bb simpoints weights; do
	same "$extension is what --simpoint writes" sp.$extension folder/run.$extension
done

# into NAME WORD...: export with these words writes folder/NAME.
into() {
	rm folder/*
	wanted=$1
	shift
	"$WAYMARK" export "$@" -o folder
	check "export $* -o folder writes $wanted" test "$(ls folder)" = "$wanted"
}
into run.log spike run.wmk --thread 0
into run.log spike --thread 0 run.wmk
into run.log spike --from=1 -n 2 -- run.wmk
into run.info lcov --symfs . run.wmk
cp run.wmk waymark.wmk
into waymark.log spike --thread 0
rm waymark.wmk

# ---- names -------------------------------------------------------------------

"$WAYMARK" export spike run.wmk >short
"$WAYMARK" export insns-spike run.wmk >full
same "a name that one command has is enough" full short
"$WAYMARK" insns --format csv run.wmk --from 2 -n 3 >wanted
"$WAYMARK" export insns-csv run.wmk --from 2 --output=got -n 3
same "other options are the command's" wanted got
"$WAYMARK" export --list=blocks >got
printf '%s\n' text pc csv jsonl ctf >wanted
same "--list=blocks has the names of --format" wanted got

# ---- what is not in the trace -----------------------------------------------

printf 'int main(void) { return 0; }\n' >bare.c
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -s -o bare bare.c
"$WAYMARK" record -o bare.wmk ./bare
for format in llvm-profile llvm-profile-binary autofdo; do
	refused "$format without lines" 'bare.wmk: nothing that ran has debugging information,*' \
		"$WAYMARK" export $format bare.wmk
done
for format in lcov coverage-py jacoco; do
	"$WAYMARK" export $format bare.wmk -o none 2>told
	check "$format without lines says so" grep -q "as $format has no lines: it needs " told
done

refused "two formats" 'the format is spike already: leave out --format' \
	"$WAYMARK" export spike run.wmk --format csv
refused "two formats, abbreviated" 'the format is spike already: leave out --format' \
	"$WAYMARK" export spike run.wmk --form=csv
refused "a typing error" 'there is no format "spkie"; did you mean "spike"?*' "$WAYMARK" export spkie
refused "another, in full" '*did you mean "insns-qemu"?*' "$WAYMARK" export insns-qmeu
refused "another word" 'there is no format "frobnicate"; waymark export --list*' \
	"$WAYMARK" export frobnicate
run "$WAYMARK" insns --format spikd run.wmk
check "--format, too" grep -q 'not "spikd"; did you mean "spike"?' stderr
refused "a name of several" '4 formats are called "csv"; use insns-csv,*' "$WAYMARK" export csv
refused "no file" '*none.wmk*' "$WAYMARK" export spike none.wmk
refused "no file, with -o: nothing is left" '*none.wmk*' "$WAYMARK" export spike none.wmk -o out
refused "-o without a name" '*-o needs*' "$WAYMARK" export spike run.wmk -o
refused "--list of no command" '*no command "hot" has formats*' "$WAYMARK" export --list=hot
cp short kept
cp kept out
run "$WAYMARK" export spike run.wmk --thread 99 -o out
check "a command that fails" test "$status" -eq 2
same "a command that fails leaves the file as it was" kept out
run "$WAYMARK" export
check "without a format: usage and status 2" test "$status" -eq 2 -a -s stderr -a ! -s stdout
finish
