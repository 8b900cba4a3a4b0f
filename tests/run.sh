#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh - run the tests and sum them up.
#
# usage: tests/run.sh BUILDDIR [WORD...]    only tests whose names contain a WORD, and no -WORD
#        tests/run.sh --list                the names of all scripts
#
# WORD=NAME in the form "=NAME" is the whole name of one test. "WORD:CASE" counts only those
# results of a test whose names contain CASE, which the environment variable CASE does, too:
#
#     tests/run.sh build cli/calls:json
#
# `meson test` runs each of them through this script.
#
# A test is a program of BUILDDIR/tests/unit, or an executable script below tests/cli,
# golden, fuzz, differential, foreign/rr or foreign/qemu, or one of the checks right here in tests/. Those below
# tests/long take long: they run with LONG=1, or when a WORD names them. What a test prints
# counts: lines "ok NAME" and "not ok NAME" (so TAP too) are one test each. A test that
# prints none is one by its exit status, and CASE.sh beside a CASE.expected one by its
# standard output. A bad exit status is always a failure. JOBS (2) tests run at once.
#
# Tests run in an empty directory of their own, removed afterwards, and find there:
#   SRC, BUILD   the source and build trees     GUESTS   the cross-built guest programs
#   WAYMARK      the command                    PYTHON   Debian's python3, with its modules
#   GUARD        seconds (600) after which a test gives up what it waits for
#
# No result depends on how fast or busy a machine is: GUARD, and TEST_TIMEOUT (3600) for a
# whole test, only end what hangs. Tests of another QEMU run others, each with that guard.
#
# The last line is "N passed, M failed"; the exit status is 1 when M is not 0.

set -eu

usage() {
	echo "usage: tests/run.sh BUILDDIR [WORD[:CASE]...] | --list" >&2
	exit 2
}

tests=$(cd "$(dirname "$0")" && pwd)

# ---- one test: run.sh --one RESULTS NAME -------------------------------------

# count FILE REGEX
count() { grep -c "$2" "$1" || true; }

# keep_case FILE: leaves only the results that CASE names, with what explains them. Without
# any the test fails if it ended badly before it came to them.
keep_case() {
	explained=$(count "$1" '^not ok ')
	awk -v wanted="$CASE" '/^(not )?ok / { keep = index($0, wanted) } keep' "$1" >"$1.case"
	mv "$1.case" "$1"
	if [ -s "$1" ] || [ "$explained" -gt 0 ]; then status=0; fi
}

run_one() {
	results=$1 name=${2%%:*}
	[ "$name" = "$2" ] || CASE=${2#*:}
	export CASE="${CASE-}"
	case $name in
	unit/*) program=$BUILD/tests/$name ;;
	*) program=$tests/$name ;;
	esac
	out=$(mktemp "$results/out.XXXXXX")
	dir=$(mktemp -d "$results/dir.XXXXXX")
	# So that nobody sees the recordings of another test, that run at the same time.
	XDG_RUNTIME_DIR=$(mktemp -d "$results/runtime.XXXXXX")
	export XDG_RUNTIME_DIR
	case $name in
	*/qemu-*) guard=0 ;;
	*) guard=${TEST_TIMEOUT:-3600} ;;
	esac
	begin=$(date +%s)
	status=0
	(cd "$dir" && exec timeout -k 10 "$guard" "$program") \
		>"$out" 2>"$out.err" </dev/null || status=$?
	seconds=$(($(date +%s) - begin))
	times >"$out.times"
	cpu=$(tail -n 1 "$out.times" | awk -F '[ms ]+' '{ printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }')
	[ -z "$CASE" ] || keep_case "$out"

	expected=${program%.sh}.expected
	if [ -f "$expected" ] && [ -z "$CASE" ]; then
		passed=1 failed=0
		diff -u "$expected" "$out" >"$out.diff" || failed=1 passed=0
		cp "$out.diff" "$out"
	else
		passed=$(count "$out" '^ok ') failed=$(count "$out" '^not ok ')
		[ $((passed + failed)) -gt 0 ] || [ "$status" -ne 0 ] || [ -n "$CASE" ] || passed=1
	fi
	if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
		failed=1
		[ "$status" -ne 124 ] || echo "hung: ended after $guard s" >>"$out.err"
		echo "exit status $status" >>"$out.err"
	fi
	echo "$passed $failed" >"$out.sum"
	[ $((passed + failed)) -eq 0 ] || report >"$out.report"
	[ ! -f "$out.report" ] ||
		cat "$out.report" # in one piece: others print too

	# What a failed test has left may still write there. All of it goes at the end.
	chmod -R u+w "$dir" || true
	rm -rf "$dir" || true
}

report() {
	if [ "$failed" -ne 0 ]; then
		echo "FAILED $name ($failed of $((passed + failed)))"
		{ grep -v '^ok ' "$out" || true; cat "$out.err"; } | tail -n 200 | sed 's/^/    /'
	else
		echo "passed $name ($passed, $seconds s, CPU $cpu s)"
		grep '# *SKIP' "$out" | sed 's/^/    /' || true
	fi
}

if [ "${1-}" = --one ]; then
	run_one "$2" "$3"
	exit 0
fi

# ---- all of them -------------------------------------------------------------

# The scripts, the long ones first.
scripts() {
	[ ! -x "$tests/sanitize.sh" ] || echo sanitize.sh
	for kind in long differential fuzz golden foreign/qemu foreign/rr cli; do
		[ -d "$tests/$kind" ] || continue
		(cd "$tests" && find "$kind" -type f -perm -u+x -name '*.sh') | sort
	done
	for name in decoder.sh kernel.sh layers.sh style.sh symbols.sh; do
		[ ! -x "$tests/$name" ] || echo "$name"
	done
}

if [ "${1-}" = --list ]; then
	scripts
	exit 0
fi

[ $# -ge 1 ] || usage
SRC=$(dirname "$tests")
BUILD=$(cd "$1" && pwd)
shift
WAYMARK=$BUILD/waymark
GUESTS=$BUILD/guests
PYTHON=/usr/bin/python3
CMOCKA_MESSAGE_OUTPUT=TAP
LC_ALL=C.UTF-8
TZ=UTC
: "${GUARD:=600}"
export GUARD SRC BUILD WAYMARK GUESTS PYTHON CMOCKA_MESSAGE_OUTPUT LC_ALL TZ
unset WAYMARK_PAGER PAGER LESS QEMU_PLUGIN QEMU_LD_PREFIX || true

# The names of all tests.
list() {
	scripts
	for program in "$BUILD"/tests/unit/test_*; do
		[ ! -f "$program" ] || echo "unit/$(basename "$program")"
	done
}

# left_out NAME WORD...: whether the name contains a word that has a - in front.
left_out() {
	of=$1
	shift
	for word; do
		case $word:=$of in
		-*:=*"${word#-}"*) return 0 ;;
		esac
	done
	return 1
}

# Only the names that contain one of the words; without words all but the long ones.
chosen() {
	if [ $# -eq 0 ]; then
		if [ "${LONG-}" = 1 ]; then cat; else grep -v '^long/'; fi
		return
	fi
	while read -r name; do
		! left_out "$name" "$@" || continue
		for word; do
			case $word in
			*:*) one=:${word#*:} word=${word%%:*} ;;
			*) one= ;;
			esac
			case =$name in
			"$word" | "$word.sh" | [=]*"$word"*)
				echo "$name$one"
				break
				;;
			esac
		done
	done
}

results=$(mktemp -d "${TMPDIR:-/tmp}/waymark-tests.XXXXXX")
trap 'rm -rf "$results"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

list | chosen "$@" >"$results/list"
if [ ! -s "$results/list" ]; then
	echo "no such tests" >&2
	exit 2
fi
if grep -q '^[cdfgl].*/\|^decoder\|^sanitize' "$results/list"; then
	"$tests/guests/build.sh" "$GUESTS"
fi

xargs -d '\n' -n 1 -P "${JOBS:-2}" "$0" --one "$results" <"$results/list"

if [ -z "$(cat "$results"/*.sum | tr -d '0 \n')" ]; then
	echo "no such cases" >&2
fi
# Once more what failed: it may stand far above.
grep -ls '^FAILED' "$results"/*.report | xargs -r cat
cat "$results"/*.sum |
	awk '{ p += $1; f += $2 }
		END { printf "%d passed, %d failed\n", p, f; exit f ? 1 : p ? 0 : 2 }'
