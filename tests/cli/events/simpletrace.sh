#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files of QEMU's trace back end "simple", made by hand, among a trace's own events.
# tests/long/simpletrace.sh has some that QEMU wrote.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$BUILD/tests/unit/make_trace" made.wmk
"$PYTHON" "$SRC/tests/cli/events/simpletrace.py"

# Time and text of QEMU's events, and how the others stand around them.
listed() {
	"$WAYMARK" events made.wmk --format csv "$@" | cut -d, -f1,4,5,8 | grep ,qemu,
}
cat >wanted <<'END'
,1050,qemu,qemu: guest_user_syscall 0x38 0x0
,2500,qemu,"qemu: a ""line"""
,3200,qemu,qemu: user_queue_signal 0x10 0xb
p2,8999,qemu,qemu: guest_user_syscall
END
listed --simpletrace good >got
same "they stand where the clock says, with their process" wanted got
"$WAYMARK" events made.wmk --format csv >own
"$WAYMARK" events made.wmk --format csv --simpletrace good >all
grep -vE 'guest_user|user_queue' all >rest
same "the others are what they were" own rest
check "all are in order" \
	"$PYTHON" "$SRC/tests/cli/events/simpletrace_facts.py" all_are_in_order
cat >wanted <<'END'
,0,qemu,qemu: other
,1050,qemu,qemu: guest_user_syscall 0x38 0x0
,2050,qemu,qemu: other
,2500,qemu,"qemu: a ""line"""
,3200,qemu,qemu: user_queue_signal 0x10 0xb
,3300,qemu,qemu: other
p2,8999,qemu,qemu: guest_user_syscall
END
listed --simpletrace good --simpletrace other >got
same "several files" wanted got
"$WAYMARK" events made.wmk --only qemu --simpletrace good | grep -c 'qemu: user_q' >got
echo 1 >wanted
same "--only takes them as qemu" wanted got
"$WAYMARK" events made.wmk --process 43 --format csv --simpletrace good | grep -c ,qemu, >got
same "those of a process" wanted got
"$WAYMARK" events made.wmk --thread 0 >wanted
"$WAYMARK" events made.wmk --thread 0 --simpletrace good >got
same "none of them is of a thread" wanted got
"$WAYMARK" events made.wmk --format jsonl --simpletrace good >got
check "jsonl" "$PYTHON" "$SRC/tests/cli/events/simpletrace_facts.py" jsonl

cat >wanted <<'END'
,1050,qemu,qemu: guest_user_syscall cpu=0x38 num=0x0000000000000000
,2500,qemu,"qemu: a ""line"""
,3200,qemu,qemu: user_queue_signal env=0x10 signal 11
p2,8999,qemu,qemu: guest_user_syscall
END
listed --trace-events declared --simpletrace good >got
same "as they are declared, if they fit that" wanted got

# told NAME STATUS PATTERN FILE: what is listed is that of "good" up to where FILE has it.
told() {
	run "$WAYMARK" events made.wmk --format csv --simpletrace "$4"
	# shellcheck disable=SC2254 # a pattern it is
	case $(cat stderr) in
	$3) fits=yes ;;
	*) fits=no ;;
	esac
	if [ "$status" -eq "$2" ] && [ $fits = yes ] &&
		[ "$(grep -c guest_user stdout)" -eq "${5:-1}" ] &&
		[ "$(grep -vcE 'guest_user|user_queue|dropped|event-' stdout)" -eq "$(wc -l <own)" ]; then
		passed "$1"
	else
		failed "$1" "exit status $status" "$(cat stdout stderr)"
	fi
}
told "cut off" 0 "waymark: cut: ends in the middle of a record, which begins at byte 195" cut
told "a length that cannot be" 2 \
	"waymark: long: *damaged: a record has a length of 4294967295 (at byte 195)" long
told "of another time" 0 "waymark: elsewhen: none of its events *is it of another run?" \
	elsewhen 2
told "dropped, and without a name" 0 "waymark: noted: QEMU dropped 30 events, its buffer *
waymark: noted: 1 events have an id that *" noted 0
check "they are listed, too" sh -c 'grep -q ",qemu: dropped 0x19$" stdout &&
	grep -q ",qemu: event-77 0x1$" stdout'

refuse() { refused "$1" "$2" "$WAYMARK" events made.wmk --simpletrace good --simpletrace "$3"; }
refuse "another version" "old: is a trace of QEMU's of version 3, and only version 4 can be read" old
refuse "no such magic" 'magic: is no file of QEMU?s trace back end "simple"' magic
refuse "the other byte order" "order.bin: *of the other byte order" order.bin
refuse "shorter than a header" "short.bin: is too short *" short.bin
refuse "nothing in it" "empty: is too short *" empty
refuse "something else" 'made.wmk: is no file of QEMU?s *' made.wmk
refuse "a folder" ".: is no regular file" .
mkfifo pipe
refuse "a FIFO" "pipe: is no regular file" pipe
refuse "no file" "cannot open none: *" none
refused "no declarations" "made.wmk: declares no trace events of QEMU's" \
	"$WAYMARK" events made.wmk --simpletrace good --trace-events made.wmk
refused "no file of declarations" "cannot open none: *" \
	"$WAYMARK" events made.wmk --simpletrace good --trace-events none
finish
