#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is made on the way is for its user alone: shared memory, temporary names, what is
# spooled; and the trace itself has the mode that files have. Links that someone left in
# the way are not followed.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# mode FILE
mode() { stat -L -c %a "$1"; }

# opened PID PATTERN: the descriptor, as a path, that is open on such a file.
opened() {
	find "/proc/$1/fd" -lname "$2" 2>/dev/null | head -n 1
}

# ---- while recording ---------------------------------------------------------

cat >wait.c <<'END'
#include <stdio.h>
int main(void)
{
	puts("ready");
	fflush(stdout);
	getchar();
	return 0;
}
END
${CROSS_CC:-riscv64-linux-gnu-gcc} -static -O1 -o wait wait.c

mkfifo input
(umask 022 && exec "$WAYMARK" record -o run.wmk ./wait) <input >said 2>stderr &
guest=$!
exec 3>input
until_true test -s said
memory=$(opened "$(recorder_of $guest)" '/memfd:*')
check "there is shared memory" test -n "$memory"
check "it is for its owner alone" test "$(mode "$memory")" = 600
cp "$SRC/tests/cli/record/shrink.py" .
check "nobody makes it shorter" "$PYTHON" shrink.py "$memory"
echo >&3
exec 3>&-
wait $guest
check "the recording is complete" "$WAYMARK" verify run.wmk
check "the trace has the mode of files" test "$(mode run.wmk)" = 644
(umask 077 && "$WAYMARK" record -o own.wmk "$GUESTS/status.O3" >said) || true
check "the trace has the mode that the umask leaves" test "$(mode own.wmk)" = 600

# ---- links in the way --------------------------------------------------------

echo victim >victim
ln -s victim trap.wmk
"$WAYMARK" record -o trap.wmk "$GUESTS/status.O3" >said 2>stderr || true
check "a link in the way is replaced, not followed" \
	test "$(cat victim)" = victim -a ! -L trap.wmk -a -s trap.wmk
ln -s /dev/null null.wmk
refused "a link to a device" '*not a regular file' "$WAYMARK" record -o null.wmk ./wait
mkdir kept.wmk.old
"$WAYMARK" record -o kept.wmk "$GUESTS/status.O3" >said || true
cp kept.wmk first
refused "a folder in the way of the earlier trace" 'kept.wmk would become kept.wmk.old, *' \
	"$WAYMARK" record -o kept.wmk "$GUESTS/status.O3"
check "the earlier trace is as it was" cmp -s first kept.wmk
other="setpriv --reuid 65534 --regid 65534 --clear-groups"
# shellcheck disable=SC2086 # words
if ! $other true 2>/dev/null; then
	echo "ok a foreign file in the way # SKIP there is no other user"
elif ! $other test -r "$GUESTS/status.O3" -a -x "$WAYMARK"; then
	echo "ok a foreign file in the way # SKIP this folder is closed to other users"
else
	chmod 711 .
	mkdir shared
	chmod 1777 shared
	echo foreign >shared/run.wmk.old
	cp first shared/run.wmk
	chown 65534:65534 shared/run.wmk
	# shellcheck disable=SC2086 # words
	run $other "$WAYMARK" record --strict -o shared/run.wmk "$GUESTS/status.O3"
	check "a foreign file in its way is an error" \
		sh -c 'test "$0" -eq 2 && grep -q "cannot write shared/run.wmk" stderr' "$status"
	check "then, too, the earlier trace is as it was" cmp -s first shared/run.wmk
	check "and so is the foreign file" grep -qx foreign shared/run.wmk.old
fi
check "no temporary file is left" test -z "$(find . -name '*.wmk.*' ! -name '*.old')"

# ---- what verify spools ------------------------------------------------------

mkdir spool
mkfifo log
TMPDIR=$PWD/spool "$WAYMARK" verify run.wmk --against log >said 2>stderr &
checker=$!
exec 3>log
until_true sh -c "find /proc/$checker/fd -lname '*spool/*' | grep -q ."
spool=$(opened $checker "*spool/*")
check "what is spooled has no name" test -n "$spool" -a -z "$(ls spool)"
check "and is for its owner alone" test "$(mode "$spool")" = 600
exec 3>&-
wait $checker || true
finish
