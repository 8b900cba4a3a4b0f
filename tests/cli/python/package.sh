#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The Python package: everything it says of a trace is what the command says; its types are
# right; it installs as a wheel; the examples run.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$(cd "$(dirname "$0")" && pwd)
export PYTHONPATH="$BUILD/python" WAYMARK_LIBRARY="$BUILD/libwaymark.so.1" WAYMARK
export PYTHONDONTWRITEBYTECODE=1
# A sanitized library needs its runtime before everything else, and Python leaks.
if ldd "$WAYMARK_LIBRARY" | grep -q libasan; then
	echo "ok the package # SKIP the library is sanitized"
	exit 0
fi

run "$WAYMARK" record --mem --mem-values -o qsort.wmk "$GUESTS/qsort.O0"
run "$WAYMARK" record --mem -o threads.wmk "$GUESTS/threads/names.O3"
run "$WAYMARK" record -o signals.wmk "$GUESTS/fault.O3"
run "$WAYMARK" record --wait=all -o processes.wmk "$GUESTS/processes/tree.O3"
for trace in qsort threads signals processes; do
	"$PYTHON" "$here/same_as_command.py" $trace.wmk || failures=$((failures + 1))
done
"$BUILD/tests/unit/make_trace" machine.wmk machine
"$PYTHON" "$here/objects.py" qsort.wmk threads.wmk \
	"$SRC/tests/golden/v8.wmk" machine.wmk || failures=$((failures + 1))

run "$WAYMARK" record --mem-values --value main:a0,a1 -o one.wmk "$GUESTS/qsort.O0" 1
run "$WAYMARK" record --mem-values --value main:a0,a1 -o two.wmk "$GUESTS/qsort.O0" 1 2
"$PYTHON" "$here/diff_values.py" one.wmk two.wmk || failures=$((failures + 1))

# ---- types -----------------------------------------------------------------------

run "$PYTHON" -m mypy --strict --cache-dir "$PWD/mypy" --config-file "$BUILD/python/pyproject.toml" \
	"$BUILD/python/waymark"
check "its types are right" [ $status -eq 0 ] || cat stdout
for example in "$SRC"/examples/python/*.py; do
	run "$PYTHON" -m mypy --strict --cache-dir "$PWD/mypy" \
		--config-file "$BUILD/python/pyproject.toml" "$example"
	check "types of $(basename "$example")" [ $status -eq 0 ] || cat stdout
done

# ---- the wheel -------------------------------------------------------------------

cp -r "$BUILD/python" package
run "$PYTHON" -m venv --system-site-packages venv
run venv/bin/python -m pip install --no-index --no-build-isolation --no-deps ./package
check "it installs as a wheel" [ $status -eq 0 ] || tail -n 5 stderr
run env -u PYTHONPATH venv/bin/python -c \
	'import waymark; print(waymark.open("qsort.wmk").summary.insns, waymark.__file__)'
check "and runs from there" grep -q "^[0-9]* $PWD/venv/" stdout
run env WAYMARK_LIBRARY=/nowhere.so LD_LIBRARY_PATH=/nowhere "$PYTHON" -c \
	'import ctypes.util; ctypes.util.find_library = lambda name: None; import waymark'
check "without the library it says what to set" grep -q 'ImportError.*WAYMARK_LIBRARY\|^$' stderr

# ---- examples --------------------------------------------------------------------

for example in "$SRC"/examples/python/*.py; do
	run "$PYTHON" "$example"
	check "${example##*/} without a trace says what it takes" \
		sh -c '! grep -q Traceback stderr && grep -q "^${1##*/} .*TRACE\|^${1##*/} OLD" stderr' - "$example"
done

run "$PYTHON" "$SRC/examples/python/branch_bias.py" qsort.wmk 3
check "example branch_bias" [ $status -eq 0 ]
check "branch_bias finds the partition's branch" grep -q '[0-9,]* .*qsort\|[0-9].*+0x' stdout
run "$PYTHON" "$SRC/examples/python/working_set.py" qsort.wmk 100000
check "example working_set" [ $status -eq 0 ]
lines=$("$WAYMARK" mem --format csv qsort.wmk | tail -n +2 | head -n 100000 | cut -d, -f4 |
	"$PYTHON" -c 'import sys; print(len({int(line, 16) >> 6 for line in sys.stdin}))')
check "working_set counts $lines lines in the first part" \
	sh -c "sed -n 3p stdout | tr -d , | grep -q '^ *100000 *$lines '"
run "$PYTHON" "$SRC/examples/python/compare_runs.py" qsort.wmk threads.wmk
check "example compare_runs" grep -q 'old *new *change' stdout
run "$PYTHON" "$SRC/examples/python/compare_runs.py" qsort.wmk qsort.wmk
check "example compare_runs, of equal runs" grep -qx 'every function executed .* in both runs' stdout
cp "$GUESTS/branches.O3" other
"$WAYMARK" record -o one.wmk "$GUESTS/branches.O0" >/dev/null || true
"$WAYMARK" record -o other.wmk ./other >/dev/null || true
run "$PYTHON" "$SRC/examples/python/compare_runs.py" one.wmk other.wmk 100
check "example compare_runs, of builds with two names" \
	grep -qE '^ *\(program\) +main +[1-9][0-9]* +[1-9]' stdout

[ "$failures" -eq 0 ]
