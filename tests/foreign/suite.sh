#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# suite.sh - the programs of a foreign test suite under `waymark record`, beside plain QEMU.
#
# usage: tests/foreign/suite.sh rr|qemu [NAME...]     all, except for what the file `exceptions`
#                                                     leaves out
#
# Each program has the same standard output and exit status both ways, and `waymark verify`
# finds its trace complete and sound. If it is a single process, its blocks are those of
# QEMU's log of the same run, unless they are very many. Called by tests, with what
# tests/run.sh exports.

set -eu

: "${WAYMARK:?run me through tests/run.sh}" "${SRC:?}" "${BUILD:?}" "${PYTHON:?}" "${GUARD:?}"
here=$SRC/tests/foreign
QEMU=${WAYMARK_QEMU:-qemu-riscv64}
export QEMU
suite=$1
shift
log_blocks=3000000 # so many at most, 80 bytes each

# ---- what there is -----------------------------------------------------------

skip() {
	echo "ok $suite # SKIP $1"
	exit 0
}

spaces="unshare --user --map-root-user --mount --pid --ipc --net --uts --mount-proc --fork
	--kill-child"
# shellcheck disable=SC2086 # a list of words
$spaces true 2>/dev/null || skip "there are no namespaces of our own"
# shellcheck disable=SC2086
binfmt=$($spaces sh -c 'mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
	test -w /proc/sys/fs/binfmt_misc/register && echo yes' 2>/dev/null || echo no)

version=$("$QEMU" -version | sed -n 's/.* version \([0-9.]*\).*/\1/p')
case $suite in
qemu) set -- "$version" "$@" ;;
*) set -- '' "$@" ;;
esac
status=0
# shellcheck disable=SC2086 # perhaps no word
source=$("$here/source.sh" "$suite" $1 2>said) || status=$?
shift
case $status in
0) ;;
1) skip "$(tail -n 1 said)" ;;
*)
	cat said >&2
	exit 1
	;;
esac

# exception WHAT: the names of the cases in which WHAT is left out.
exception() {
	awk -v suite="$suite" -v what="$1" '
		$1 ~ "^" suite "/" && $2 == what { sub(".*/", "", $1); print $1 }' "$here/exceptions"
}

is_excepted() { exception "$1" | grep -qxF -- "$2"; }

sources() {
	case $suite in
	rr) find "$source/src/test" -maxdepth 1 -name '*.c' ;;
	qemu) find "$source"/tcg/multiarch "$source"/tcg/multiarch/linux "$source"/tcg/riscv64 \
		-maxdepth 1 -name '*.[cS]' ;;
	esac
}

source_of() { sources | grep "/$1\.[cS]\$"; }

if [ $# -eq 0 ]; then
	exception all | sort >left_out
	# shellcheck disable=SC2046 # a list of words
	set -- $(sources | sed 's|.*/||; s|\.[cS]$||' | sort | comm -23 - left_out)
fi

# ---- a case ------------------------------------------------------------------

# What QEMU is to be told for it.
options_of() {
	case $suite/$1 in
	qemu/test-noc) echo "-cpu rv64,c=false" ;;
	esac
}

# What it is told itself, where its own script does so.
arguments_of() {
	case $suite/$1 in
	rr/clone_vfork | rr/exec_shared_as | rr/target_fork | rr/target_process | rr/vfork)
		echo /mnt/program/simple
		;;
	rr/async_signal_syscalls | rr/exit_codes) echo 17 ;;
	rr/getcwd) echo /mnt/work ;;
	rr/goto_event | rr/threaded_syscall_spam) echo 1000 ;;
	rr/mmap_shared_extern) echo shared 0 1 ;;
	esac
}

# went MODE: whether that run of $name came to an end.
went() {
	status=0
	# shellcheck disable=SC2046,SC2086 # lists of words
	ARGUMENTS=$(arguments_of "$name") timeout -s KILL "$GUARD" $spaces "$here/inside.sh" "$1" "$programs/$name" "$PWD/$name" \
		$(options_of "$name") >"$name/harness" 2>&1 || status=$?
	[ "$status" -ne 137 ] || why="$1: hung, ended after $GUARD s"
	[ -s "$name/status.$1" ] || why="$why $1: no end: $(tail -n 3 "$name/harness")"
	[ -z "$why" ]
}

# The output as it is to be compared.
output() {
	is_excepted output "$name" || hide_numbers <"$name/out.$1" | hide_order
}

hide_numbers() {
	if is_excepted numbers "$name"; then
		sed -E 's/-?(0x)?[0-9a-f]*[0-9][0-9a-f]*/N/g'
	else
		cat
	fi
}

hide_order() { if is_excepted order "$name"; then sort; else cat; fi; }

is_same() {
	output plain >"$name/plain"
	output record >"$name/record"
	diff -a "$name/plain" "$name/record" >"$name/diff" ||
		why="output differs: $(head -c 2000 "$name/diff")"
	cmp -s "$name/status.plain" "$name/status.record" ||
		why="$why exit status $(cat "$name/status.record"), without a recorder \
$(cat "$name/status.plain")"
	grep -q 'complete and sound' "$name/verify" ||
		why="$why verify: $(cat "$name/verify" "$name/err.record")"
	[ -z "$why" ]
}

# Lines: threads, processes, blocks.
tell() {
	"$PYTHON" "$SRC/tests/foreign/sizes.py" "$name/info"
}

# is_held: its blocks were compared with the log, as far as that can be; $remark.
is_held() {
	# shellcheck disable=SC2046 # three words
	set -- $(tell)
	remark="threads $1, processes $2, blocks $3"
	if [ "$2" -ne 1 ] || [ "$3" -gt $log_blocks ] ||
		is_excepted blocks "$name"; then
		return 0
	fi
	went log || return 1
	grep -q 'equal to the log' "$name/against" || why="log: $(cat "$name/against")"
	remark="$remark, as in the log"
	[ -z "$why" ]
}

check() {
	why=
	mkdir "$name"
	if [ "$binfmt" = no ] && grep -qE 'exec[lv]|posix_spawn' "$(source_of "$name")"; then
		echo "ok $suite/$name # SKIP it executes programs, and there is no binfmt_misc"
	elif went plain && went record && is_same && is_held; then
		echo "ok $suite/$name # $remark"
	else
		echo "not ok $suite/$name"
		printf '%s\n' "$why" | sed 's/^/# /'
		failures=$((failures + 1))
	fi
	rm -rf "$name"
}

programs=$BUILD/foreign/$suite
failures=0
"$here/build.sh" "$suite" "$source" "$programs" "$@" 2>built || {
	echo "not ok $suite: building"
	sed 's/^/# /' built
	failures=1
}
for name; do
	[ ! -x "$programs/$name" ] || check
done
exit $((failures > 0))
