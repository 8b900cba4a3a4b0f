#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where events go besides the trace: each place has what the trace has.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

hour() { TZ=$(date +%Z) date +%H:; }
began=$(hour)

guest=$GUESTS/signal.O3
"$WAYMARK" record -o run.wmk --events tb_translate --events-to trace --events-to log:log \
	--events-to ctf:ctf "$guest" >out
"$WAYMARK" events run.wmk --format jsonl >events

# ---- log ---------------------------------------------------------------------

check "a line for each" test "$(wc -l <log)" -eq "$(wc -l <events)"
check "in the form of the manual" sh -c \
	'! grep -vE "^[0-9]+\.[0-9]{6} (\[[0-9]+(/[0-9]+)?\] )?[a-z_]+: .+" log'
# Versions of the C library begin with these calls, and some with others between them.
sed -nE 's/^[^[]*\[[^]]*\] (syscall|syscall_ret|signal): /\1 /p' log |
	grep -E ' (brk|set_tid_address|set_robust_list|prlimit64|readlinkat)\>' | sed -n '1,12p' |
	sed -E 's/0x[0-9a-f]+/X/g; s/= -?[0-9]+/= N/' >got
cat >wanted <<'END'
syscall brk(X, X, X, X, X, X)
syscall_ret brk = N
syscall brk(X, X, X, X, X, X)
syscall_ret brk = N
syscall set_tid_address(X, X, X, X, X, X)
syscall_ret set_tid_address = N
syscall set_robust_list(X, X, X, X, X, X)
syscall_ret set_robust_list = N
syscall prlimit64(X, X, X, X, X, X)
syscall_ret prlimit64 = N
syscall readlinkat(X, X, X, X, X, X) "/proc/self/exe"
syscall_ret readlinkat = N
END
same "the text of a line" wanted got
"$WAYMARK" record -o quiet.wmk --events-to log "$guest" 2>stderr.log >out
check "without a file the log is stderr" test "$(grep -c ' syscall: ' stderr.log)" -eq \
	"$(grep -c '"syscall"' events)"
check "then the trace has no events" sh -c \
	'test "$("$1" events quiet.wmk | wc -l)" -eq 1 && "$1" verify quiet.wmk >out' - "$WAYMARK"
"$QEMU" "$guest" >out && echo 0 >own || echo $? >own
"$WAYMARK" record -o full.wmk --events-to log:/dev/full "$guest" >out 2>err && status=0 || status=$?
check "a full disk does not change the status" test "$status" -eq "$(cat own)"
check "a sentence reports it" grep -q 'cannot write the log of events: No space left' err

# ---- CTF ---------------------------------------------------------------------

if command -v babeltrace2 >/dev/null; then
	babeltrace2 ctf --clock-cycles --no-delta >text 2>errors
	check "babeltrace2 reports no error" test ! -s errors
	check "it has as many events" test "$(wc -l <text)" -eq "$(wc -l <events)"
	check "of each kind, thread and time, with these numbers and texts" \
		"$PYTHON" "$SRC/tests/cli/events/backends_facts.py" of_each_kind_thread_and_time_with_these
	babeltrace2 ctf | head -n 1 | grep -o '\[[0-9:]*' >clock
	check "times are those of the day" grep -qE "$began|$(hour)" clock
else
	echo "ok CTF # SKIP there is no babeltrace2"
fi
refused "a directory that is not empty" 'ctf is there already, and not empty' \
	"$WAYMARK" record --events-to ctf:ctf "$guest"
mkdir empty
check "an empty one will do" "$WAYMARK" record -o run2.wmk --events-to ctf:empty "$GUESTS/tight.O3"

# ---- ftrace, syslog ----------------------------------------------------------

: >marker
"$WAYMARK" record -o run2.wmk --events=-\*,syscall --events-to ftrace:marker "$guest" >out
check "ftrace has a line for each" test "$(wc -l <marker)" -eq "$(grep -c '"syscall"' events)"
check "of this form" sh -c '! grep -vE "^waymark [0-9]+\.[0-9]{6} \[[0-9]+/[0-9]+\] syscall: " marker'
if [ ! -e /sys/kernel/tracing/trace_marker ] && [ ! -e /sys/kernel/debug/tracing/trace_marker ]; then
	refused "ftrace without tracefs" '*ftrace needs tracefs*' \
		"$WAYMARK" record --events-to ftrace "$guest"
fi
if [ "$(id -u)" = 0 ] && [ ! -e /dev/log ]; then
	"$PYTHON" "$SRC/tests/cli/events/backends_facts.py" take_syslog "$WAYMARK" "$guest" >syslog
	check "syslog" test "$(grep -cE 'waymark\[[0-9]+\]: \[[0-9]+/[0-9]+\] vcpu_(init|exit): vcpu 0 ' syslog)" -eq 2
else
	echo "ok syslog # SKIP /dev/log is not to be had"
fi

# ---- probes ------------------------------------------------------------------

for plugin in "$BUILD"/libwaymark-v*.so; do
	name=${plugin##*/}
	readelf -n "$plugin" >notes
	if ! grep -q 'Provider: waymark' notes; then
		echo "ok probes of $name # SKIP it was built without sys/sdt.h"
		continue
	fi
	sed -n 's/^    Name: //p' notes | sort >got
	"$WAYMARK" events list | sed 1d | cut -d' ' -f1 | sort >wanted
	same "$name has a probe for each" wanted got
	check "$name: each has a semaphore" test \
		"$(grep -c 'Semaphore: 0x0000000000000000' notes)" -eq 0
	check "$name: with its fields" \
		"$PYTHON" "$SRC/tests/cli/events/backends_facts.py" name_with_its_fields
done
check "usdt is taken, and keeps nothing" sh -c \
	'"$1" record -o run2.wmk --events-to usdt "$2" >out && test "$("$1" events run2.wmk | wc -l)" -eq 1' \
	- "$WAYMARK" "$GUESTS/tight.O3"
finish
