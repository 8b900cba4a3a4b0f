#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How a benchmark is presented, with made-up figures: its page, its figures, the
# project's bars; what is missing, and what is no benchmark.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$(dirname "$0")
bench=$SRC/bench
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

told() { run "$PYTHON" "$bench/report.py" "$@"; }

"$PYTHON" "$here/made_up.py" >made.csv
"$PYTHON" "$here/told.py" "$bench" made.csv || failed "told.py ends well"

# ---- the figures -------------------------------------------------------------
told made.csv out
check "report: exit status" [ "$status" -eq 0 ]
check "report: gnuplot has nothing to say" [ ! -s stderr ]
check "report: bars that are missed" \
	grep -q '^MISS  decode, ns per block, worst: 4 ' stdout
check "report: bars that are met" grep -q '^pass  wall over none, worst: 1.4 ' stdout
check "report: two runs at once" \
	grep -q '^pass  wall over none, two runs at once on two cores, geometric mean: 1.217 ' stdout
for name in programs peers share bits plane memory codec threads onecore length-mix; do
	check "report: draws $name.svg" \
		"$PYTHON" "$SRC/tests/cli/bench/report_facts.py" report_draws_name_svg out/benchmarks/$name.svg
	check "report: draws $name.png" \
		[ "$(head -c 4 out/benchmarks/$name.png | od -An -tx1 | tr -d ' ')" = 89504e47 ]
	check "report: shows $name.svg" grep -q "](benchmarks/$name.svg)" out/bench.md
done
check "report: no other figures" [ "$(ls out/benchmarks/*.svg | wc -l)" -eq 10 ]

# One guest: few rows, and a key of the usual length.
grep '^#\|^part\|,fft,' made.csv >one.csv
told one.csv one
check "one guest: gnuplot has room for all" [ ! -s stderr ]
check "one guest: no mean of one" [ "$(grep -c '^| .*geometric mean\*' one/bench.md)" -eq 0 ]

mkdir none
run env PATH="$PWD/none" "$PYTHON" "$bench/report.py" made.csv bare
check "no gnuplot: all else is done" [ "$status" -eq 0 ]
check "no gnuplot: one line says so" [ "$(grep -c gnuplot stderr)" -eq 1 ]
check "no gnuplot: and no other" [ "$(wc -l <stderr)" -eq 1 ]
check "no gnuplot: no figures are promised" [ "$(grep -c '!\[' bare/bench.md)" -eq 0 ]
grep '^|' bare/bench.md >bare.tables
grep '^|' out/bench.md >out.tables
same "no gnuplot: tables are the same" bare.tables out.tables

# Names are from anywhere: no quote ends a string, nothing is a command.
sed "s/,mix,/,\"it's \`touch bad\` | here\",/" made.csv >hostile.csv
told hostile.csv hostile
check "a name with quotes is drawn" \
	[ -s hostile/benchmarks/length-it_s__touch_bad____here.svg ]
check "gnuplot takes it" [ ! -s stderr ]
check "and is no command" [ ! -e bad ] && [ ! -e hostile/benchmarks/bad ]

# ---- a page's results --------------------------------------------------------
begin='<!-- made by bench/report.py --docs: begin -->'
end='<!-- made by bench/report.py --docs: end -->'
mkdir docs
printf '# A page\n\n%s\nold\n%s\n\nBelow.\n' "$begin" "$end" >docs/page.md
told --docs made.csv docs/page.md
check "docs: exit status" [ "$status" -eq 0 ]
check "docs: what is between the marks is new" [ "$(grep -c '^old$' docs/page.md)" -eq 0 ]
check "docs: what is before them stays" [ "$(head -n 1 docs/page.md)" = "# A page" ]
check "docs: and what is behind" [ "$(tail -n 1 docs/page.md)" = "Below." ]
same "docs: the CSV is beside it" made.csv docs/benchmarks/bench.csv
check "docs: the figures are beside it" [ "$(ls docs/benchmarks/*.svg | wc -l)" -eq 10 ]
cp -r docs before.d
told --docs docs/benchmarks/bench.csv docs/page.md
check "docs: from its own CSV the same again" diff -r before.d docs
printf '# A page\n' >docs/page.md
told --docs made.csv docs/page.md
check "docs: a page without marks is refused" [ "$status" -ne 0 ]
check "docs: in one line" [ "$(wc -l <stderr)" -eq 1 ]
check "docs: and left alone" [ "$(cat docs/page.md)" = "# A page" ]

# ---- what is no benchmark ----------------------------------------------------
heading=part,guest,mode,x,measure,median,low,high,n
good=programs,lua,none,,wall_s,1,1,1,5

# malformed NAME PATTERN LINE...: one sentence that fits and names the file, no output.
malformed() {
	what=$1 pattern=$2
	shift 2
	printf '%s\n' "$@" >bad.csv
	told bad.csv never
	# shellcheck disable=SC2254 # a pattern it is
	case $(cat stderr) in
	"report: bad.csv"$pattern) fits=yes ;;
	*) fits=no ;;
	esac
	if [ "$status" -ne 0 ] && [ $fits = yes ] && [ ! -s stdout ] && [ ! -e never ] &&
		[ "$(wc -l <stderr)" -eq 1 ]; then
		passed "malformed: $what"
	else
		failed "malformed: $what" "status $status" "$(cat stderr)"
	fi
}

malformed "another heading" ":1: the heading*" "name,seconds" "lua,1"
malformed "nothing" "*" ""
malformed "no figures" ": there are no figures*" "$heading"
malformed "no number" ":2: median is 'fast'*" \
	"$heading" programs,lua,none,,wall_s,fast,1,1,5
malformed "not finite" ":3: low is nan*" \
	"$heading" "$good" programs,lua,none,,cpu_s,1,nan,1,5
malformed "too few fields" ":2: not 9 fields*" "$heading" programs,lua
malformed "too many fields" ":2: not 9 fields*" "$heading" "$good,1"
malformed "twice the same" ":3: a second time*" "$heading" "$good" "$good"
malformed "a median outside" ":2: the median*" \
	"$heading" programs,lua,none,,wall_s,3,1,2,5
malformed "no runs" ":2: n is 0*" "$heading" programs,lua,none,,wall_s,1,1,1,0
malformed "x is no number" ":2: x is*" "$heading" length,lua,none,long,wall_s,1,1,1,5
malformed "a quote without end" ":*" "$heading" 'programs,"lua,none,,wall_s,1,1,1,5'
printf '%s\n\377\376\n' "$heading" >raw.csv
told raw.csv never
check "malformed: not UTF-8" [ "$(wc -l <stderr)" -eq 1 ] && [ "$status" -ne 0 ]
told none.csv never
check "no such file" [ "$(cat stderr)" = "report: none.csv: No such file or directory" ]
finish
