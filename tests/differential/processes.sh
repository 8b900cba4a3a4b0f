#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of many threads and processes: all of them are in one trace, each apart, every
# instruction as the witness saw it; and the programs do what they do untraced. Dynamic
# programs run here; with VARIANTS=all, as in tests/long/processes.sh, static ones too.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/common
. "$SRC/tests/witness/common"

programs=$GUESTS/processes
[ "${VARIANTS-}" = all ] && variants="O3 dyn" || variants=dyn
WITNESS=,entries=4194304 # for some 200 files

# count_processes: how many the trace has.
count_processes() {
	"$WAYMARK" info run.wmk --format json |
		"$PYTHON" "$SRC/tests/differential/processes_facts.py" count_processes
}

# judge NAME STATUS PROCESSES: the last run ended so, and printed what ./wanted has.
judge() {
	[ "$guest" = "$2" ] || why="$why exit status $guest instead of $2; $(cat err)"
	processes=$(count_processes || true)
	[ "$processes" = "$3" ] || why="$why $processes processes instead of $3"
	cmp -s wanted out || why="$why $(diff wanted out || true)"
	if [ -z "$why" ]; then
		passed "$1" "$processes processes, $(cat verdict)"
	else
		failed "$1" "$why"
	fi
}

# same NAME PROCESSES UNSURE WORD...: does what it does without us.
same() {
	name=$1 number=$2 unsure=$3
	wanted "$name" || return 0
	shift 3
	untraced -L "$SYSROOT" "$@"
	mv out.plain wanted
	witnessed insns "$unsure" -- "$@" || true
	judge "$name" "$plain" "$number"
}

# does NAME STATUS PROCESSES UNSURE WORD...: prints what is on standard input. (Without us
# QEMU executes no guest's program, unless the kernel is told how.)
does() {
	name=$1 status=$2 number=$3 unsure=$4
	shift 4
	cat >wanted
	witnessed insns "$unsure" -- "$@" || true
	judge "$name" "$status" "$number"
}

# ---- threads -----------------------------------------------------------------

for variant in $variants; do
	for name in names generations mainfirst; do
		same "threads/$name $variant" 1 0 "$GUESTS/threads/$name.$variant"
	done
	same "threads/exitgroup $variant" 1 4 "$GUESTS/threads/exitgroup.$variant"
done
WITNESS=,entries=65536 # more threads than there are large rings, and 256
same "threads/crowd, 300 at once" 1 0 "$GUESTS/threads/crowd.O3" 1 300 2 500
WITNESS=,entries=4194304

witnessed insns 0 -- "$GUESTS/threads/names.O3" || true
for name in 'another, \"odd\"' itself twice; do
	if "$WAYMARK" info run.wmk --format json | grep -qF "\"name\": \"$name\""; then
		passed "a thread named $name" "$(cat verdict)"
	else
		failed "a thread named $name" "$("$WAYMARK" info run.wmk)"
	fi
done

named() { "$WAYMARK" info run.wmk --format json | grep -qF '"name": "worker"'; }
"$WAYMARK" record -q -o run.wmk --qemu "$QEMU" "$GUESTS/threads/worker.O3" >out
if named && [ "$("$WAYMARK" events run.wmk | grep -c 'thread_name: .*: \(early\|worker\)$')" -eq 2 ]; then
	passed "a thread that another one named, and that does not end" "$(cat out)"
else
	failed "a thread that another one named, and that does not end" "$("$WAYMARK" info run.wmk)"
fi

# ---- children ----------------------------------------------------------------

for variant in $variants; do
	same "tree $variant" 15 0 "$programs/tree.$variant"
	same "killed $variant" 5 "5 --killed" "$programs/killed.$variant"
	same "native $variant" 2 0 "$programs/runner.$variant" fork /bin/true
	same "failing $variant" 1 0 "$programs/failing.$variant"
	same "bad arguments $variant" 1 0 \
		"$programs/badexec.$variant" "$programs/badexec.O3" try
done
for variant in $variants; do
	same "forks of threads, $variant" 7 0 "$programs/threadfork.$variant"
done
same "many" 221 0 "$programs/many.O3"
same "native, by vfork" 2 0 "$programs/runner.O3" vfork /bin/sh -c 'exit 3'
same "native, by posix_spawn" 2 0 "$programs/runner.O3" spawn /bin/sh -c 'exit 4'
same "native, by system" 2 0 "$programs/runner.O3" system 'echo here; exit 5'
same "native, in its place" 1 0 "$programs/runner.O3" exec /bin/sh -c 'echo here; exit 6'
same "a descriptor's program" 1 0 "$programs/runner.O3" fd /bin/true

parents() {
	"$WAYMARK" info run.wmk --format json | \
		"$PYTHON" "$SRC/tests/differential/processes_facts.py" children_of_each
}
witnessed insns 0 -- "$programs/tree.O3" || true
got=$(parents)
if [ "$got" = "[0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2] None" ]; then
	passed "who is whose child" "$got"
else
	failed "who is whose child" "$got"
fi

# outlives HOW PROCESSES: `record` ends when all of them have.
outlives() {
	rm -f late
	echo outlive >wanted
	witnessed insns 0 -- "$programs/outlive.O3" "$1" late || true
	[ "$(cat late)" = "outlived 38a01ea1" ] || why="$why it did not end: $(cat late)"
	judge "a $1 that lives on" 4 "$2"
}
outlives child 2
outlives daemon 3

# Without its children it is alone, and they do their work.
untraced "$programs/tree.O3"
mv out.plain wanted
guest=0
"$WAYMARK" record --qemu "$QEMU" --no-follow -o run.wmk "$programs/tree.O3" >out 2>err ||
	guest=$?
: >verdict
why=
judge "--no-follow" "$plain" 1

# ---- other programs in their places ------------------------------------------

cp "$programs/chain.O3" a
cp "$programs/chain.dyn" b
does "programs that execute each other" 9 5 0 ./a 4 ./a ./b <<'END'
chain 4 here 09ca4bec
chain 3 here 77efb471
chain 2 here ee699ff6
chain 1 here c1c14e7b
chain 0 here 00000000
END

witnessed insns 0 --precise -- ./a 4 ./a ./b || true
judge "programs that execute each other, --precise" 9 5

# Of this shell's own descriptors some may be open.
untraced "$programs/show.O3"
mv out.plain plainly
descriptors=$({ sed -n 's/^descriptors//p' plainly; echo 50 500; } | tr ' ' '\n' |
	sort -n | xargs)
for variant in $variants; do
	rm -rf below
	does "what execve keeps, and not: $variant" 7 2 0 \
		"$programs/inherit.$variant" "$programs/show.$variant" x 'y z' <<-END
		arguments 3: <show.$variant> <x> <y z>
		environment there, 2 of ours, a b=c
		file show.$variant
		descriptors $descriptors
		signals 10 blocked pending 12 ignored 28 blocked
		folder below, mask 027, nice 3, timer set
		pid kept, session own
	END
done

# shown ARGUMENTS ENVIRONMENT FILE: what show prints of a plain start.
shown() {
	sed "s/^arguments.*/arguments $1/; s/^environment.*/environment $2/
		s/^file.*/file $3/" plainly
}

with="there, 0 of ours, unset"
for how in fork vfork spawn; do
	{ shown '3: <show.O3> <x> <>' "$with" show.O3; echo "status 7"; } |
		does "by $how" 0 3 0 "$programs/runner.O3" $how "$programs/show.O3" x ''
done
shown '2: <show.O3> <x>' "$with" show.O3 |
	does "in its place" 7 2 0 "$programs/runner.O3" exec "$programs/show.O3" x
shown '2: <show.O3> <x>' "$with" show.O3 |
	does "by a link to a descriptor" 7 2 0 \
		"$programs/runner.O3" link "$programs/show.O3" x
shown '2: <show.O3> <x>' "$with" show.O3 |
	does "by /proc/self/exe" 7 3 0 \
		"$programs/runner.O3" self other exec "$programs/show.O3" x
{ shown '1: <>' "empty, 0 of ours, unset" show.O3; echo "status 7"; } |
	does "without anything" 0 3 0 "$programs/runner.O3" bare "$programs/show.O3"
{ shown '2: <-L> <x>' "$with" show.O3; echo "status 7"; } |
	does "under an odd name" 0 3 0 "$programs/runner.O3" odd "$programs/show.O3" -L x
printf '#!%s -x\n' "$programs/show.O3" >script
printf '#!./script\n' >outer
chmod +x script outer
shown '4: <show.O3> <-x> <.\/script> <y>' "$with" show.O3 |
	does "a script" 7 2 0 "$programs/runner.O3" exec ./script y
shown '5: <show.O3> <-x> <.\/script> <.\/outer> <y>' "$with" show.O3 |
	does "a script of a script" 7 2 0 "$programs/runner.O3" exec ./outer y
printf '#!%s -x ' "$programs/show.O3" >script # without a newline
shown '4: <show.O3> <-x> <.\/script> <y>' "$with" show.O3 |
	does "a script of half a line" 7 2 0 "$programs/runner.O3" exec ./script y
printf '#!./outer\n' >third
printf '#!./third\n' >fourth
printf '#!./fourth\n' >fifth
chmod +x third fourth fifth
shown '7: <show.O3> <-x> <.\/script> <.\/outer> <.\/third> <.\/fourth> <.\/fifth>' \
	"$with" show.O3 | does "five scripts" 7 2 0 "$programs/runner.O3" exec ./fifth
# execveat(), which QEMU 7.2 does not have.
printf '#!%s -x\n' "$programs/show.O3" >script
same "execveat that fails" 1 0 "$programs/execat.O3" wrong "$PWD/script"
if ! grep -qx "errno 38" wanted; then
	shown '2: <show.O3> <x>' "$with" show.O3 |
		does "by a descriptor" 7 2 0 \
			"$programs/runner.O3" fd "$programs/show.O3" x
	for how in folder path; do
		shown '2: <show.O3> <x>' "$with" show.O3 |
			does "execveat, $how" 7 2 0 \
				"$programs/execat.O3" $how "$programs/show.O3" x
	done
	descriptors=$({ sed -n 's/^descriptors//p' plainly; echo 77; } | tr ' ' '\n' |
		sort -n | xargs)
	sed -i "s/^descriptors.*/descriptors $descriptors/" plainly
	shown '2: <show.O3> <x>' "$with" show.O3 |
		does "execveat, a folder that stays open" 7 2 0 \
			"$programs/execat.O3" kept "$programs/show.O3" x
	shown '2: <show.O3> <x>' "$with" 77 |
		does "execveat, from memory" 7 2 0 \
			"$programs/execat.O3" memory "$programs/show.O3" x
	untraced "$programs/show.O3"
	mv out.plain plainly
fi
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\necho native "$@"\n' >native
chmod +x native
same "a native script" 2 0 "$programs/runner.O3" fork ./native a b
shown '1: <show.O3>' "there, 1 of ours, unset" show.O3 |
	does "from a thread" 7 2 "4 --killed" "$programs/threadexec.O3" "$programs/show.O3"
{ yes "chain 0 here 00000000" | head -n 3; echo "threadfork 139 49 159 330"; } |
	does "from a child of a thread's child" 0 10 0 \
		"$programs/threadfork.O3" "$programs/chain.O3" 0 a b
echo "end 0" | does "while signals come" 5 22 0 "$programs/again.O3" signals 20
echo "end 0" |
	does "while other threads fail to" 5 9 "24 --killed" "$programs/again.O3" threads 8
for how in each range; do
	echo closer |
		does "all descriptors closed, $how" 8 3 0 \
			"$programs/closer.O3" $how "$programs/show.O3"
done

# ---- a shell and its commands ------------------------------------------------

sysroot=$("$SRC/tests/sysroot.sh")
mkdir five
(cd five && touch 1 2 3 4 5)
PATH=$sysroot/usr/bin:$PATH
export PATH
printf '5\n5\n5\ndone\n' |
	does "busybox's shell" 0 19 0 "$sysroot/usr/bin/busybox" sh -c '
		for i in 1 2 3; do
			busybox true
			busybox ls five | busybox wc -l
		done
		echo done'
exit $((failures > 0))
