#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# inside.sh - one run of a foreign program, in namespaces of its own that suite.sh makes.
#
# usage: tests/foreign/inside.sh plain|record|log PROGRAM OUT [QEMU-OPTION...]
#
# ARGUMENTS has words for the program.
#
# Such a program may be hostile: nothing here can be written to but its own folder, all that
# it starts ends with it, and its root is none outside. Programs of its kind that it executes
# are run by the kernel (binfmt_misc), where there is one for a user namespace.
#
# Into the folder OUT: the program's `out.MODE` and `status.MODE`, and the messages; from
# `record` what verify and info say; from `log` what verify says of QEMU's log of that run.

set -eu

mode=$1 program=$2 out=$3
shift 3

# ---- where it runs -----------------------------------------------------------

# All but what is ours.
read_only() {
	while read -r _ _ _ _ point _; do
		case $point in
		/mnt | /mnt/* | /tmp | /dev/shm | /proc | /proc/*) ;;
		*) mount -o remount,bind,ro "$point" 2>/dev/null || true ;;
		esac
	done </proc/self/mountinfo
}

register() {
	mount -t binfmt_misc none /proc/sys/fs/binfmt_misc 2>/dev/null || return 0
	# ELF, 64 bits, little-endian, a program or shared object, for RISC-V.
	magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xf3\x00'
	mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
	printf '%s' ":guest:M::$magic:$mask:/mnt/bin/qemu-riscv64:PF" \
		>/proc/sys/fs/binfmt_misc/register
}

mount -t tmpfs none /mnt
mkdir /mnt/bin /mnt/build /mnt/out /mnt/program /mnt/run /mnt/tmp /mnt/work
chmod 700 /mnt/run
: >/mnt/bin/qemu-riscv64
mount --bind "$(command -v "$QEMU")" /mnt/bin/qemu-riscv64
mount --rbind "$BUILD" /mnt/build
mount --bind "$(dirname "$program")" /mnt/program
mount --bind "$out" /mnt/out
mount --bind /mnt/tmp /tmp
mount -t tmpfs none /dev/shm
register
ip link set lo up
read_only
cd /mnt/work
umask 022

# ---- what runs ---------------------------------------------------------------

waymark=/mnt/build/waymark
trace=/mnt/run/run.wmk
program=/mnt/program/$(basename "$program")

# run WORD...: in a session of its own, for signals to its process group, and below a shell
# that survives those to a parent.
run() {
	status=0
	env -i PATH=/usr/bin:/bin HOME=/mnt/work LC_ALL=C.UTF-8 TZ=UTC \
		XDG_RUNTIME_DIR=/mnt/run NONTMP_WORKDIR=/mnt/work \
		sh -c 'trap : INT TERM; setsid "$@"; exit $?' - "$@" \
		>"/mnt/out/out.$mode" 2>"/mnt/out/err.$mode" </dev/null || status=$?
}

# recorded [OPTION...]
# shellcheck disable=SC2086 # a list of words
recorded() {
	run "$waymark" record --wait=all --qemu /mnt/bin/qemu-riscv64 "$@" -o $trace -- \
		"$program" ${ARGUMENTS-}
}

# verified OUT [OPTION...]: what is said of the trace when the recorder, too, has ended.
verified() {
	said=$1
	shift
	while
		"$waymark" verify $trace "$@" >"$said" 2>&1 || echo "status $?" >>"$said"
		grep -q 'still being recorded' "$said"
	do
		sleep 0.05
	done
}

# as_options WORD...: each for `record` to pass on.
as_options() {
	for word; do
		printf ' --qemu-arg %s' "$word"
	done
}

# shellcheck disable=SC2046,SC2086 # lists of words
case $mode in
plain) run /mnt/bin/qemu-riscv64 "$@" "$program" ${ARGUMENTS-} ;;
record)
	recorded $(as_options "$@")
	verified /mnt/out/verify
	"$waymark" info --format json $trace >/mnt/out/info 2>&1 || true
	;;
log)
	recorded $(as_options "$@" -d in_asm,exec,nochain -D /mnt/run/log)
	verified /mnt/out/against --against /mnt/run/log
	;;
esac
echo "$status" >"/mnt/out/status.$mode"
