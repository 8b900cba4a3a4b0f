#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which events there are, and which of them a recording has.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

guest=$GUESTS/status.O3

# ---- what there is -----------------------------------------------------------

"$WAYMARK" events list >list
check "a line for each in events.def" test \
	"$(grep -c '^EVENT(' "$SRC/format/events.def")" -eq "$(sed 1d list | wc -l)"
check "names, states, fields and formats" grep -qx \
	'tb_translate   off       clock   address:hex insns:unsigned; {address}, {insns} instructions' list
"$WAYMARK" record --events help >help
same "record --events help" list help
"$WAYMARK" record --events tb_translate --events=-syscall --events help >help
check "help has the state of earlier options" grep -q '^tb_translate   on ' help
check "help lists events that are off" grep -q '^syscall        off ' help
check "a file of that name can be given" sh -c \
	'"$1" record -o list "$2" >out; "$1" events ./list | grep -q exit_group' - "$WAYMARK" "$guest"

# ---- what a recording has ----------------------------------------------------

# kinds NAME WANTED OPTION...: of the events of a recording with these options.
kinds() {
	what=$1 wanted=$2
	shift 2
	"$WAYMARK" record -o run.wmk "$@" "$guest" >out 2>err || true
	got=$("$WAYMARK" events run.wmk --format csv | sed 1d | cut -d, -f5 | sort -u | xargs)
	if [ "$got" = "$wanted" ]; then passed "$what"; else failed "$what" "got: $got" "$(cat err)"; fi
}
kinds "the usual ones" "clock syscall syscall_ret vcpu_exit vcpu_init"
kinds "none" "" --events=-\*
kinds "one alone" "syscall_ret" --events=-\*,syscall_ret
kinds "one more" "clock syscall syscall_ret tb_translate vcpu_exit vcpu_init" --events tb_translate
kinds "in their order" "syscall" --events=-\* --events 'syscall*' --events=-syscall_ret
printf '# only calls\n-*\nsyscall*\n' >patterns
kinds "from a file" "clock syscall syscall_ret" --events @patterns --events clock
kinds "calls off, the rest on" "clock vcpu_exit vcpu_init" --events=-syscall\*
check "the trace has which were wanted" sh -c \
	'"$1" info run.wmk --format json | grep -q "vcpu_init"' - "$WAYMARK"

# A handler's end belongs to its signal: trees of calls are the same.
"$WAYMARK" record -o whole.wmk "$GUESTS/signal.O3" >out || true
"$WAYMARK" record -o part.wmk --events=-syscall\* "$GUESTS/signal.O3" >out || true
"$WAYMARK" calls whole.wmk --tree -D 6 | sed 1d >whole
"$WAYMARK" calls part.wmk --tree -D 6 | sed 1d >part
same "calls with signals and without system calls" whole part
check "what is left of them" test "$("$WAYMARK" events part.wmk --only syscall --format csv |
	sed 1d | cut -d, -f6 | sort -u)" = rt_sigreturn

# What the recorder hangs on it is sent, but not kept.
rm -f kept.wmk
"$WAYMARK" record -o kept.wmk --events=-\* --on-signal "$GUESTS/signal.O3" >out || true
check "--on-signal without events" test -s kept.wmk
check "has no events" test "$("$WAYMARK" events kept.wmk | wc -l)" -eq 1

# ---- what a thread's listing has ---------------------------------------------

"$WAYMARK" record -o run.wmk "$guest" >out || true
check "with --thread only its own" sh -c \
	'! "$1" events run.wmk --thread 0 | grep -q clock' - "$WAYMARK"
check "by process" sh -c '"$1" events run.wmk --process 0 --format jsonl >lines
	grep -q vcpu_init lines && ! grep -q "\"clock\"" lines' - "$WAYMARK"
check "--only" test "$("$WAYMARK" events run.wmk --only vcpu_init --format csv | wc -l)" -eq 2
check "both clocks" sh -c '"$1" events run.wmk --only clock --format jsonl |
	"$PYTHON" "$SRC/tests/cli/events/named_facts.py" both_clocks' - "$WAYMARK"

# ---- refused -----------------------------------------------------------------

refused "a pattern that fits nothing" 'no event is called "sycall"*' \
	"$WAYMARK" record --events sycall "$guest"
refused "one that is to be off" 'no event is called "sycall"*' \
	"$WAYMARK" record --events=-sycall "$guest"
refused "a file that is not there" 'cannot read nofile: No such file or directory' \
	"$WAYMARK" record --events @nofile "$guest"
echo 'nothing' >bad
refused "a file with a wrong line" 'bad, line 1: no event is called "nothing"' \
	"$WAYMARK" record --events @bad "$guest"
head -c 1M /dev/zero >zeros
refused "a file that is no list" "*zeros, line 1: it is too long for a list of events" \
	"$WAYMARK" record --events @zeros "$guest"
refused "no such back end" 'events cannot go to "printer"*' \
	"$WAYMARK" record --events-to printer "$guest"
refused "CTF without a directory" 'ctf needs a name*' "$WAYMARK" record --events-to ctf "$guest"
refused "a log that cannot be written" 'cannot write /nonexistent/log*' \
	"$WAYMARK" record --events-to log:/nonexistent/log "$guest"
refused "syslog with an argument" 'syslog takes no argument*' \
	"$WAYMARK" record --events-to syslog:x "$guest"
finish
