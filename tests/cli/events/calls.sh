#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The system calls and signals of a program, against what QEMU's own -strace says of the
# same run; where they are in the sequence; and the output is what was asked for.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -static -pthread -o calls \
	"$SRC/tests/cli/events/calls.c"
status=0
"$WAYMARK" record -o run.wmk --qemu-arg -strace ./calls 2>strace || status=$?
check "the program ends as it does" test "$status" -eq 3
# What has no place in a thread is looked at elsewhere.
only=syscall,syscall_ret,signal
"$WAYMARK" events run.wmk --only $only >text
"$WAYMARK" events run.wmk --only $only --format csv >csv
"$WAYMARK" events run.wmk --only $only --format jsonl >jsonl
"$WAYMARK" insns run.wmk --format csv >insns

# facts NAME FUNCTION ARGUMENT...: of calls_facts.py.
facts() {
	what=$1
	shift
	check "$what" "$PYTHON" "$SRC/tests/cli/events/calls_facts.py" "$@"
}

facts "csv and json lines tell the same" csv_and_json_lines_tell_the_same
facts "in the order of the clock, and in each thread of its instructions" in_the_order_of_the_clock_and_in_each_th
# -strace names a call before it is made, and reports its return after it. What several
# threads write at a time is torn: so only lines of the first are looked at, which are
# whole before there are others.
facts "names and values are those of -strace" names_and_values_are_those_of_strace
facts "a call comes after its ecall" a_call_comes_after_its_ecall
facts "a handler starts where the signal is told" a_handler_starts_where_the_signal_is_tol
facts "the child has the return of its own fork" the_child_has_the_return_of_its_own_fork

# ---- text --------------------------------------------------------------------

# has PATTERN: a line of text is that, after its thread, place and time.
has() { grep -qE "^ +[0-9]+ +[0-9]+ +[0-9]+\.[0-9]{6}  $1\$" text; }
check "a call with its return" has 'read\(99, 0x[0-9a-f]+, 16\) = -1 EBADF \(Bad file descriptor\)'
check "flags and modes" \
	has 'openat\(AT_FDCWD, .*, O_WRONLY\|O_CREAT\|O_TRUNC, 0644\) = -1 ENOTDIR \(Not a directory\)'
check "a path, and no mode when nothing is created" \
	has 'openat\(AT_FDCWD, "/nonexistent/file", O_RDONLY\|O_CLOEXEC\) = -1 ENOENT \(No such file or directory\)'
check "a negative number" has 'lseek\(99, -5, SEEK_CUR\) = -1 .*'
check "a mapping" has 'mmap\(NULL, 8192, PROT_READ, MAP_PRIVATE\|MAP_ANONYMOUS, -1, 0\) = 0x[0-9a-f]+'
check "a fault" has \
	'--- SIGSEGV \{si_code=SEGV_MAPERR, si_addr=0x10\} at 0x[0-9a-f]+ <[a-z+0-9]+>, handler 0x[0-9a-f]+ <on_fault> ---'
check "a signal" has '--- SIGUSR1 \{si_code=SI_TKILL\} at 0x.*, handler 0x[0-9a-f]+ <on_message> ---'
check "a real-time signal" has '--- SIGRT_5 .* ---'
check "a call that does not return" has 'exit_group\(3\) = \?'

# ---- selecting a part --------------------------------------------------------

# shown NAME WANTED OPTION...: the third column of csv
shown() {
	what=$1 wanted=$2
	shift 2
	got=$("$WAYMARK" events run.wmk --format csv "$@" | sed 1d | cut -d, -f6 | sort -u | xargs)
	if [ "$got" = "$wanted" ]; then passed "$what"; else failed "$what" "got: $got"; fi
}
shown "--only a call" "read" --only read
shown "--only two of them" "lseek read" --only read,lseek
shown "--only twice" "lseek read" --only read --only lseek
shown "--only signals" "SIGRT_5 SIGSEGV SIGUSR1" --only signal
shown "--only by wildcards" "SIGSEGV SIGUSR1" --only 'sig[s-u]*'
shown "--thread by name" "exit getppid madvise prctl rt_sigprocmask" --thread worker
child=$("$WAYMARK" info run.wmk --format json |
	"$PYTHON" "$SRC/tests/cli/events/calls_facts.py" pid_of_child)
shown "--process by number" "clone exit_group" --process 1
shown "--process by pid" "clone exit_group" --process "$child"
check "-n" test "$("$WAYMARK" events run.wmk -n 7 | wc -l)" -eq 8
check "-n joins what it shows" sh -c '"$WAYMARK" events run.wmk --thread 0 -n 1 | grep -q "^ *0 .* = "'
facts "--from and --to" from_and_to

# ---- refused -----------------------------------------------------------------

run "$WAYMARK" events run.wmk --only opnat
check "a typing error in --only" test "$status" -eq 2
check "a typing error is understood" \
	grep -q 'no event is called "opnat"; did you mean "openat"?' stderr
refused "no such thread" '*there is no thread called "nobody"*' \
	"$WAYMARK" events run.wmk --thread nobody
refused "no such process" '*there is no process 1*' "$WAYMARK" events run.wmk --process 1000000000
misused "no name at all" 'no event is called ""' "$WAYMARK" events run.wmk --only ""
refused "--from beyond the only thread's end" '*there is no instruction*' \
	"$WAYMARK" events run.wmk --thread 0 --from 1000000000
run sh -c "'$WAYMARK' events run.wmk >/dev/full"
check "full disk" test "$status" -eq 2 -a -s stderr
"$WAYMARK" events run.wmk 2>stderr | head -n 1 >stdout
check "head" test -s stdout -a ! -s stderr
finish
