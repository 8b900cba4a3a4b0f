#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The socket: whose it is, what it stands, and that a recording does without.

# shellcheck source=tests/cli/ctl/common
. "$(dirname "$0")/common"
build_steps

mode() { stat -c %a "$1"; }

cp "$SRC/tests/cli/ctl/ask.py" .

# ---- garbage -----------------------------------------------------------------

begin run
socket=runtime/waymark/$recorder
# The plugin that this QEMU takes.
plugin=$(tr '\0' '\n' <"/proc/$guest/cmdline" | sed -n 's/,arena=.*//p')
check "the folder is for its owner alone" test "$(mode runtime/waymark)" = 700
check "the socket is there" test -S "$socket"
"$PYTHON" ask.py "$socket" 'status\n' 'frobnicate\n' '\n' ' \n' 'status now\n' 'on\x00\n' \
	'snapshot x.wmk\n' '\xff\xfe\n' 'stat' 'A" + b"A" * 100000 + b"' '\x00' >answers 2>&1 || true
check "a request is answered" sh -c "head -n 1 answers | grep -q \"^b'.x02' b'.x00'\""
check "all else is refused" test "$(grep -c "^b'.x02' b'.x01'" answers)" -ge 7
check "with a sentence" grep -q 'the recorder knows no such command' answers
step
cp "$SRC/tests/cli/ctl/many.py" .
mkfifo hold
"$PYTHON" many.py "$socket" <hold >held 3>&- &
holder=$!
exec 5>hold
until_true test -s held
step b
check "the recording does not wait for silent clients" test "$stepped" -eq 3
run "$WAYMARK" ctl status
check "nor do others, for long" grep -q 'state          recording' stdout
exec 5>&-
wait $holder
run "$WAYMARK" ctl flush
check "all is well after that" test "$status" -eq 0

# ---- a busy machine ----------------------------------------------------------

"${CC:-cc}" -shared -fPIC -o late_send.so "$SRC/tests/cli/ctl/late_send.c"
run env LD_PRELOAD="$PWD/late_send.so" "$WAYMARK" ctl status
check "who connects and asks late is answered" grep -q 'state          recording' stdout
kill -STOP "$recorder"
refused "a recorder that does not answer" "process $recorder, which records, does not answer" \
	"$WAYMARK" ctl status
refused "it may be the one that is meant" \
	"process $guest is not being recorded, unless by process *, which does not answer" \
	"$WAYMARK" ctl "$guest" status
kill -CONT "$recorder"

# ---- other users -------------------------------------------------------------

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	other="setpriv --reuid=65534 --regid=65534 --clear-groups"
	# shellcheck disable=SC2086 # a list of words
	run $other "$WAYMARK" ctl "$recorder" stop
	check "another user is refused" grep -qx "waymark: $recorder is another user's" stderr
	check "with status 2" test "$status" -eq 2
	# Even where the folder is open to all:
	end
	open=$(mktemp -d /tmp/waymark-open.XXXXXX)
	trap 'rm -rf "$open"' EXIT
	XDG_RUNTIME_DIR=$open begin run
	chmod 755 "$open" "$open/waymark"
	chmod 777 "$open/waymark/$recorder"
	# shellcheck disable=SC2086
	$other "$PYTHON" - "$open/waymark/$recorder" 'stop\n' <ask.py >answers 2>&1
	check "the recorder asks the kernel who it is" grep -q "another user's" answers
	chmod 700 "$open/waymark"
	XDG_RUNTIME_DIR=$open run "$WAYMARK" ctl status
	check "it still records" grep -q 'state          recording' stdout
	socket=$open/waymark/$recorder
else
	passed "another user is refused # SKIP this is not root"
fi
end
check "the socket is gone" test ! -e "$socket"

# ---- what is left over -------------------------------------------------------

"$PYTHON" "$SRC/tests/cli/ctl/socket_facts.py" leave_socket
: >runtime/waymark/notes
refused "a dead one is no recording" 'no recording runs' "$WAYMARK" ctl status
check "it is removed" test ! -e runtime/waymark/999999
check "what is no socket stays" test -e runtime/waymark/notes

# ---- folders that are not ours -----------------------------------------------

# without WHAT: a recording with the folder as it is; it must not be used.
without() {
	begun=own
	rm -f own.in
	mkfifo own.in
	: >own.out
	"$WAYMARK" record --qemu "$QEMU" -o own.wmk ./steps <own.in >own.out 2>own.err &
	guest=$!
	exec 3>own.in
	until_true has_lines own.out 1
	check "$1 is not used" sh -c '! ls runtime/waymark/* elsewhere/* 2>/dev/null | grep -q "[0-9]$"'
	end
	check "$1: it records all the same" test "$ended" -eq 7
}

rm -r runtime/waymark
mkdir elsewhere
chmod 700 elsewhere
ln -s "$PWD/elsewhere" runtime/waymark
without "a link"
rm runtime/waymark
mkdir runtime/waymark
chmod 755 runtime/waymark
without "a folder that others can enter"
rmdir runtime/waymark
: >runtime/waymark
without "a file"
rm runtime/waymark
if [ "$(id -u)" -eq 0 ]; then
	mkdir runtime/waymark
	chmod 700 runtime/waymark
	chown 65534 runtime/waymark
	without "a folder of somebody else"
fi

# ---- a collector that a plugin started ---------------------------------------

rm -rf runtime/waymark
mkfifo hand.in
: >hand.out
WAYMARK_OUTPUT=hand.wmk "$QEMU" -plugin "$plugin,out=hand.wmk" \
	./steps <hand.in >hand.out 2>hand.err &
guest=$!
exec 3>hand.in
until_true has_lines hand.out 1
run "$WAYMARK" ctl "$guest" flush
check "a collector that a plugin started takes requests, too" grep -q "^$PWD/hand.wmk: " stdout
end_guest=0
exec 3>&-
wait $guest || end_guest=$?
check "and the guest ends as it does" test "$end_guest" -eq 7
finish
