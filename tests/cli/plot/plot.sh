#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Figures: gnuplot draws them, with what they are to show; and what cannot be drawn.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
here=$(dirname "$0")

"$WAYMARK" record -o run.wmk "$GUESTS/matmul.O3" >/dev/null
"$WAYMARK" record --mem -o mem.wmk "$GUESTS/matmul.O3" >/dev/null

# drawn FILE: a figure in the form that its name says.
drawn() {
	case $1 in
	*.svg) "$PYTHON" "$SRC/tests/cli/plot/plot_facts.py" parse_xml "$1" ;;
	*.png) [ "$(head -c 4 "$1" | od -An -tx1 | tr -d ' ')" = 89504e47 ] ;;
	*.pdf) [ "$(head -c 5 "$1")" = %PDF- ] ;;
	esac
}

for figure in hot mix phases mem; do
	trace=run.wmk
	[ $figure != mem ] || trace=mem.wmk
	run "$WAYMARK" plot $figure $trace --interval 20k
	check "plot $figure: exit status" [ "$status" -eq 0 ]
	check "plot $figure: draws $figure.svg" drawn $figure.svg
	check "plot $figure: gnuplot has nothing to say" [ ! -s stderr ]
	for suffix in png pdf; do
		"$WAYMARK" plot $figure $trace --interval 20k -o "a figure.$suffix"
		check "plot $figure: as $suffix" drawn "a figure.$suffix"
	done
	# GNUPLOT writes its own version and nothing of the time, so the same twice.
	"$WAYMARK" plot $figure $trace --interval 20k --script >script
	mv $figure.svg before.svg
	gnuplot script
	same "plot $figure: --script draws the same" before.svg $figure.svg
done

# What it shows: the labels, and as many bars as rows.
"$WAYMARK" plot hot run.wmk -n 3 --script >script
"$WAYMARK" hot run.wmk -n 3 -f function,share --format csv | tail -n +2 >rows
check "hot: three bars" [ "$(sed -n '/<< END/,/^END/p' script | grep -c '^[0-9]')" -eq 3 ]
while IFS=, read -r function share; do
	place=$(sed -n "s/.*'$function' \([0-9]*\).*/\1/p" script)
	check "hot: $function is there, with its share" awk -v p="${place:-0}" -v s="$share" \
		'$1 == p && NF == 2 { found = ($2 - 100 * s) ^ 2 < 1e-6 } END { exit !found }' script
done <rows
"$WAYMARK" plot mix run.wmk --function main --script >script
check "mix: classes of main" grep -q "'FP fused multiply-add, double'" script
"$WAYMARK" plot phases run.wmk --interval 20k --script >script
intervals=$("$WAYMARK" phases run.wmk --interval 20k --format json |
	"$PYTHON" "$SRC/tests/cli/plot/plot_facts.py" count_labels)
check "phases: a line for each interval" [ "$(sed -n '/^.phases << END/,/^END/p' script |
	grep -c '^[0-9]')" -eq "$intervals" ]
# Intervals of 5 have columns of 2 and of 3 instructions by turns.
"$WAYMARK" plot phases run.wmk --from 100 --to 900 --interval 5 --script >script
check "phases: columns of different lengths end where the run ends" \
	"$PYTHON" "$SRC/tests/cli/plot/plot_facts.py" scatter_ends_at script 900

"$WAYMARK" plot mem mem.wmk --script >script
width=$("$PYTHON" "$SRC/tests/cli/plot/plot_facts.py" width_of_columns script)
"$WAYMARK" mem --working-set --interval "$width" --format csv mem.wmk >set.csv
check "mem: the working set is that of waymark mem" \
	"$PYTHON" "$SRC/tests/cli/plot/plot_facts.py" same_working_set script set.csv
"$WAYMARK" mem --format csv mem.wmk | tail -n +2 >accesses.csv
check "mem: every access is in the map" \
	"$PYTHON" "$SRC/tests/cli/plot/plot_facts.py" all_accesses script accesses.csv
# A letter of a label has some 6 points, and the axis' ticks need 15.
check "mem: the longest names and addresses have room" awk -F '[ ,]' '
	/^set terminal/ { width = $(NF - 1) } /^set lmargin/ { left = $5 * width }
	END { exit left < 29 * 6.2 + 15 }' script
check "mem: regions have names" grep -q "'matmul.O3 0x" script

# A part of a few instructions, of one block and one column, far into the run: labels tell its
# tics apart, and it is drawn. A part of a run says that it is one.
at=$(sed -n '1s/,.*//p' accesses.csv)
for figure in phases mem; do
	run "$WAYMARK" plot $figure mem.wmk --from 1200000 --to 1200006
	check "$figure, a few instructions: exit status" [ "$status" -eq 0 ]
	check "$figure, a few instructions: gnuplot has nothing to say" [ ! -s stderr ]
	check "$figure, a few instructions: tics have their own labels" "$PYTHON" \
		"$SRC/tests/cli/plot/plot_facts.py" labels_differ $figure.svg 1.2 1.200002 1.200004
	"$WAYMARK" plot $figure mem.wmk --from $at --to $((at + 1)) --script >script
	check "$figure, one instruction: the unit" grep -q "^set xlabel 'instructions'" script
	run gnuplot script
	check "$figure, one instruction: gnuplot has nothing to say" [ ! -s stderr ]
	check "$figure, one instruction: drawn" drawn $figure.svg
done
"$WAYMARK" record --last 10k-insns -o last.wmk "$GUESTS/matmul.O3" >/dev/null
"$WAYMARK" plot hot last.wmk --script >script
check "the end of a run: says so" grep -q '^set title .*, as far as it is recorded' script

# Names are from anywhere: no quote ends a string, nothing is a command.
printf 'int main(void) { return 0; }\n' >hostile.c
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -o "it's \`touch bad\` here" hostile.c
"$WAYMARK" record -o hostile.wmk "./it's \`touch bad\` here"
run "$WAYMARK" plot hot hostile.wmk
check "a name with quotes is drawn" drawn hot.svg
check "and is no command" [ ! -e bad ]

# Names of every length leave the bars their room, and none of them is an order to gnuplot.
cp "$here/names.cc" .
"${CROSS_CXX:-riscv64-linux-gnu-g++}" -O1 -static -o names names.cc
"$WAYMARK" record -o names.wmk ./names
for suffix in svg png pdf; do
	run "$WAYMARK" plot hot names.wmk -n 12 -o names.$suffix
	check "long names, $suffix: gnuplot has nothing to say" [ ! -s stderr ]
	check "long names, $suffix: drawn" drawn names.$suffix
done
"$WAYMARK" plot hot names.wmk -n 12 --script >script
for label in 'operator%%(value, value)' 'operator<<(value, value)' 'größe_der_Straße()' \
	'unsigned long pack<int>::work<int>(int)' 'unsigned long pack<…>::work<…>(…)' \
	'unsigned long pack<…>::work<…>(…) (2)' \
	'a_function_whose_name_has_one_hundre…n_everything_it_(…)'; do
	check "a label is $label" grep -qF "'$label' " script
done
check "bars have half of the width" awk '/^set lmargin at screen/ { ok = $5 < 0.55 }
	END { exit !ok }' script
cp "$SRC/tests/cli/plot/bars.py" .
check "the longest bar is long" "$PYTHON" bars.py

# ---- what cannot be ----------------------------------------------------------
rm -f ./*.svg ./*.png ./*.pdf
refused "no such figure" "plot draws hot, mix, phases or mem*" "$WAYMARK" plot flame run.wmk
refused "no figure" "plot what*" "$WAYMARK" plot
misused "a suffix that nobody draws" "*.svg, .png or .pdf*" "$WAYMARK" plot hot -o x.jpg run.wmk
refused "no folder" "cannot write none/x.svg: No such file*" "$WAYMARK" plot hot -o none/x.svg run.wmk
refused "no trace" "*none.wmk*" "$WAYMARK" plot hot none.wmk
run "$WAYMARK" plot hot run.wmk --function none
check "nothing ran" test "$status" -eq 2 -a ! -s stdout
check "nothing ran: says so" grep -q 'nothing of the selected part ran' stderr
misused "phases of a function" "*--function*" "$WAYMARK" plot phases run.wmk --function main
misused "accesses of a function" "*--function*" "$WAYMARK" plot mem mem.wmk --function main
refused "no accesses" "*record it with waymark record --mem" "$WAYMARK" plot mem run.wmk
refused "no accesses in a part" "*no accesses of memory in the selected part" \
	"$WAYMARK" plot mem --to 1 mem.wmk
misused "too many bars" "*1 to 100*" "$WAYMARK" plot hot -n 101 run.wmk
mkdir -p bin
refused "no gnuplot" "*gnuplot-nox*" env PATH="$PWD/bin" "$WAYMARK" plot hot run.wmk
printf '#!/bin/sh\ncat >/dev/null\nexit 3\n' >bin/gnuplot
chmod +x bin/gnuplot
refused "gnuplot fails" "*status 3*" env PATH="$PWD/bin:$PATH" "$WAYMARK" plot hot run.wmk
finish
