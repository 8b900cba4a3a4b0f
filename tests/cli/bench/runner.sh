#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The benchmark's runner, on a guest of a folder, with peers that work and that do not: what
# its CSV has, what it refuses, and that it leaves nothing behind. Nothing here depends on
# what anything takes.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$(dirname "$0")
mkdir dir
cp "$GUESTS/qsort.O3" "$GUESTS/echo.O3" dir
cat >dir/cases <<-END
	# Two guests.
	tiny: ./qsort.O3 one 'two  words'

	tiny/short: qsort.O3 short   # with less to do
	reader: echo.O3 < input
END
echo "what it reads" >dir/input

# bench WORD...: the runner, whose files are to be in out.
bench() {
	run "$SRC/bench/run.sh" "$BUILD" --qemu "$QEMU" --out out --guest-dir dir "$@"
}

# ---- what it measures --------------------------------------------------------

bench --only tiny,reader --parts programs,codec,peers --rounds 2 \
	--modes published,log,mine,broken \
	--peer "mine=sh -c 'printf \"%s|\" \"\$@\" >{out}/said' - {}" \
	--peer "broken=sh -c 'echo it is broken >&2; exit 7' {}"
check "it runs" test "$status" -eq 0
check "a peer that fails is reported" grep -q \
	'peers: tiny: broken: sh -c .*: exit status 7: it is broken$' stderr
check "the CSV" "$PYTHON" "$here/runner.py" csv out/bench.csv "$PWD/dir"
mkdir kept
mv out/bench.csv kept
rm -rf out/bench.md out/benchmarks # what bench/report.py makes of it
check "nothing else is left" test -z "$(ls -A out)"

# Accesses of memory.
bench --only tiny --parts values --rounds 1
check "accesses are counted" grep -q '^values,tiny,mem,,bits_per_access,' out/bench.csv
check "and what reads them is measured" grep -q '^values,tiny,mem,,cache_mreferences,' out/bench.csv
rm -rf out/bench.csv out/bench.md out/benchmarks

# A guest that reads, twice at once.
bench --only reader --parts together --rounds 1
check "two runs at once" sh -c \
	'grep -q "^together,reader,waymark,,wall_ratio," out/bench.csv && ! ls -d out/bench-* 2>/dev/null'
rm -rf out/bench.csv out/bench.md out/benchmarks

# ---- parts of its own --------------------------------------------------------

check "commands that do not end, cases that are wrong" "$PYTHON" "$here/runner.py" modules \
	"$SRC/bench" "$GUESTS/qsort.O3"

# ---- what it refuses ---------------------------------------------------------

# refuses NAME PATTERN WORD...: one sentence, of a pattern (of grep), and nothing is made.
refuses() {
	what=$1 pattern=$2
	shift 2
	bench "$@"
	if [ "$status" -eq 2 ] && [ ! -s stdout ] && [ "$(tail -n 1 stderr | grep -c "$pattern")" = 1 ] &&
		[ -z "$(ls -A out)" ]; then
		passed "$what"
	else
		failed "$what" "status $status" "$(cat stderr stdout)"
	fi
}

refuses "an unknown guest" 'there is no guest nobody; there are busybox' --only nobody
refuses "an unknown part" 'there is no part half; there are programs' --parts half
refuses "an unknown mode" 'there is no mode fast; there are' --modes fast
refuses "a peer without a command" '^bench: --peer x: this is not NAME=COMMAND$' \
	--peer x --modes x
refuses "a peer without a guest" '^bench: --peer x=true: there is no {} for' \
	--peer x=true --modes x
refuses "a peer with a name that is taken" 'log is there already$' --peer 'log=true {}' --modes log
echo "more: nowhere" >>dir/cases
refuses "cases that are wrong" "^bench: dir/cases:6: $PWD/dir/nowhere: No such file" --only tiny
sed -i '$d' dir/cases
echo "lua: qsort.O3" >>dir/cases
refuses "a name that is taken" '^bench: dir/cases: lua is the name of another guest$' --only tiny
sed -i '$d' dir/cases

# ---- interrupted -------------------------------------------------------------

# A peer says that it runs, and does so until it is killed.
cat >endless <<-END
	#!/bin/sh
	sleep 1000000 &
	echo \$! >$PWD/sleeper.new
	mv $PWD/sleeper.new $PWD/sleeper
	wait
END
chmod +x endless
"$SRC/bench/run.sh" "$BUILD" --qemu "$QEMU" --out out --guest-dir dir --only tiny \
	--parts peers --modes endless --peer "endless=$PWD/endless {}" --limit 1000000 \
	>stdout 2>stderr </dev/null &
bench=$!
while [ ! -f sleeper ] && kill -0 $bench 2>/dev/null; do
	sleep 0.1
done
kill -TERM $bench
status=0
wait $bench || status=$?
check "interrupted: it says so" test $status -eq 143
check "interrupted: no files" test -z "$(ls -A out)"
sleeper=$(cat sleeper)
while kill -0 "$sleeper" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$sleeper/status"; do
	sleep 0.1
done
passed "interrupted: no processes"

exit $((failures > 0))
