#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the kernel itself starts QEMU for the guest's programs (binfmt_misc): they are
# followed once and not twice, and do what they do untraced; native programs in between,
# and what those execute, are left to the kernel.
#
# That takes Linux 6.7, which has a binfmt_misc for each user namespace.

if [ "${1-}" != inside ]; then
	if ! unshare -Urm sh -c '
		mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
		test -w /proc/sys/fs/binfmt_misc/register' 2>/dev/null; then
		echo "ok binfmt_misc # SKIP there is none for a user namespace of our own"
		exit 0
	fi
	exec unshare -Urm "$0" inside
fi

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/common
. "$SRC/tests/witness/common"

# ELF, 64 bits, little-endian, a program or shared object, for RISC-V. P: QEMU is told the
# program's argv[0]; F: it is found wherever the program runs.
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xf3\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
printf '%s' ":guest:M::$magic:$mask:$(command -v "$QEMU"):PF" \
	>/proc/sys/fs/binfmt_misc/register
QEMU_LD_PREFIX=$SYSROOT
export QEMU_LD_PREFIX

programs=$GUESTS/processes

# plainly WORD...: what it does untraced.
plainly() {
	rm -rf below
	plain=0
	"$@" >out.plain 2>err.plain </dev/null || plain=$?
	rm -rf below
}

# alike NAME PROCESSES UNSURE WORD...: as that, and of that many processes, each seen once.
alike() {
	name=$1 number=$2 unsure=$3
	shift 3
	witnessed insns "$unsure" -- "$@" || true
	got=$("$WAYMARK" info run.wmk --format json | grep -c '"pid":' || true)
	[ "$got" = "$number" ] || why="$why $got processes instead of $number"
	cmp -s out out.plain || why="$why $(diff out.plain out || true)"
	[ "$guest" = "$plain" ] || why="$why exit status $guest, untraced $plain"
	if [ -z "$why" ]; then
		passed "$name" "$number processes, $(cat verdict)"
	else
		failed "$name" "$why"
	fi
}

# same NAME PROCESSES UNSURE WORD...: as the same words untraced.
same() {
	name=$1 number=$2 unsure=$3
	shift 3
	plainly "$@"
	alike "$name" "$number" "$unsure" "$@"
}

# lacks NAME WORD...: as untraced; the trace says that it lacks the second program.
lacks() {
	name=$1
	shift
	"$@" >out.plain </dev/null || true
	witnessed insns 0 -- "$@" || true
	"$WAYMARK" info run.wmk >facts
	if ! cmp -s out out.plain; then
		failed "$name" "$(diff out.plain out)"
	elif grep -q "^complete *no: 1 process was not recorded" facts; then
		passed "$name" "$(grep ^complete facts)"
	else
		failed "$name" "$(cat facts)"
	fi
}

# The kernel starts this one: nobody records.
same "a program and its execve" 2 0 "$programs/runner.O3" exec "$programs/show.O3" a 'b c'
same "programs that execute each other" 4 0 \
	"$programs/chain.O3" 3 "$programs/chain.O3" "$programs/chain.dyn"
for variant in O3 dyn; do
	same "what execve keeps, and not: $variant" 2 0 \
		"$programs/inherit.$variant" "$programs/show.$variant" x
done
for how in fork vfork spawn; do
	same "by $how" 3 0 "$programs/runner.O3" $how "$programs/show.O3"
done
# QEMU's execveat() does not find a file whose descriptor closes. Recorded it does, as Linux does.
how=exec number=2
case $(qemu_version) in 7.*) how=fd number=1 ;; esac # has no execveat()
plainly "$programs/runner.O3" $how "$programs/show.O3"
alike "by a descriptor" "$number" 0 "$programs/runner.O3" fd "$programs/show.O3"
same "under an odd name" 3 0 "$programs/runner.O3" odd "$programs/show.O3" -L x
same "without anything" 3 0 "$programs/runner.O3" bare "$programs/show.O3"
same "from a thread" 2 "4 --killed" "$programs/threadexec.O3" "$programs/show.O3"
printf '#!%s -x\n' "$programs/show.O3" >script
chmod +x script
same "a script" 2 0 "$programs/runner.O3" exec ./script y

# The kernel's name of a process is that of the file that was executed: a script's own, too.
# More than 15 bytes do not fit, and a comma is not the end.
busybox=$("$SRC/tests/sysroot.sh")/bin/busybox
name='busybox,long name'
ln -s "$busybox" "./$name"
# shellcheck disable=SC2016 # for the script
printf '#!%s sh\nread -r name </proc/self/comm; echo "$name"\n' "$busybox" >named.sh
chmod +x named.sh
same "what ps calls a program" 2 0 "$programs/runner.O3" exec "./$name" \
	cat /proc/self/comm
same "what ps calls a script" 2 0 "$programs/runner.O3" exec ./named.sh

# Of guest, native shell, guest only the first is ours.
same "native, and a guest again" 2 0 \
	"$programs/runner.O3" system "'$programs/show.O3' a; echo status \$?"
same "native in its place, and a guest again" 1 0 \
	"$programs/runner.O3" exec /bin/sh -c "'$programs/show.O3' a"

# ---- where we cannot be ------------------------------------------------------

# The kernel has QEMU open, so that this root needs nothing but QEMU's libraries.
mkdir root
for folder in usr lib lib64; do
	[ -d /$folder ] || continue
	mkdir root/$folder
	mount --rbind /$folder root/$folder
done
cp "$programs/show.O3" root/show
lacks "a root without us" "$programs/runner.O3" root /show

# The recorder is dead when its guest executes another program.
mkfifo go said
# A shell has its jobs in the background ignore SIGINT.
(
	trap '' INT
	echo go | "$programs/runner.O3" late "$programs/show.O3" x
) >wanted || true
"$WAYMARK" record --qemu "$QEMU" -o run.wmk \
	"$programs/runner.O3" late "$programs/show.O3" x <go >said 2>err &
exec 8>go 9<said
read -r ready <&9
kill -KILL "$("$WAYMARK" ctl $! status | sed -n 's/^recorder *process //p')"
echo go >&8
{ echo "$ready"; cat <&9; } >out
if cmp -s wanted out; then
	passed "another program without a recorder" "$(wc -l <err) lines on stderr"
else
	failed "another program without a recorder" "$(diff wanted out || true; cat err)"
fi
exit $((failures > 0))
