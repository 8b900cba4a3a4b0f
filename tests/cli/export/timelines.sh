#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Timelines: the calls in them are those of `waymark calls --tree`, and when there are too
# many, the longest of these.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/export/traces
. "$(dirname "$0")/traces"

forms="speedscope chrome perfetto"

# export_uftrace TRACE [OPTION...]: unpacked into out.uftrace
export_uftrace() {
	run "$WAYMARK" export uftrace "$@" -o out.tar
	rm -rf out.uftrace
	mkdir out.uftrace
	tar xf out.tar -C out.uftrace
}

# What is selected behind the end is said to be empty.
quiet() {
	test "$status" -eq 0 && ! grep -qv ': nothing is selected: ' stderr
}

# agrees TRACE [OPTION...]
agrees() {
	export_uftrace "$@"
	check "no complaints: uftrace $*" quiet
	check "calls: uftrace $*" facts timeline_facts uftrace out.uftrace 1 "$@"
	for form in $forms; do
		run "$WAYMARK" export $form "$@" -o out.$form
		check "no complaints: $form $*" quiet
		check "calls: $form $*" facts timeline_facts $form out.$form 1 "$@"
	done
}

for trace in inlined throws threads handlers deep gaps; do
	agrees $trace.wmk
done
record cached --mem ./threads
"$WAYMARK" export perfetto cached.wmk -o out.perfetto
check "counters of caches and of memory" facts timeline_facts perfetto out.perfetto 1 cached.wmk
agrees threads.wmk --thread 1
agrees inlined.wmk --from 1000 --to 20001
agrees inlined.wmk --from 1000 --to 1001
agrees nothing.wmk
agrees inlined.wmk --from 999999999

# ---- processes ------------------------------------------------------------------------------

record tree "$GUESTS/processes/tree.O3"
"$WAYMARK" export speedscope tree.wmk -o out.speedscope
"$WAYMARK" info --format json tree.wmk >facts.json
check "speedscope: of several processes each thread has its own" "$PYTHON" -c '
import json
facts = json.load(open("facts.json"))
pids = {process["index"]: process["pid"] for process in facts["processes"]}
for thread, profile in zip(facts["threads"], json.load(open("out.speedscope"))["profiles"], strict=True):
    of = "/tree.O3 (pid %d)" % pids[thread["process"]]
    assert profile["name"].startswith("thread %d, " % thread["index"]), profile["name"]
    assert profile["name"].endswith(of), (profile["name"], of)'

# ---- too many -------------------------------------------------------------------------------

for trace in threads deep; do
	for most in 0 1 50 1000; do
		for form in $forms; do
			run "$WAYMARK" export $form $trace.wmk -n $most -o out.$form
			least=$(sed -n 's/,//g; s/.* of fewer than \([0-9]*\) instructions .*/\1/p' stderr)
			check "calls: $form $trace -n $most" facts timeline_facts $form out.$form \
				"${least:-0}" $trace.wmk

		done
	done
done
export_uftrace threads.wmk -n 100
least=$(sed -n 's/,//g; s/.* of fewer than \([0-9]*\) instructions .*/\1/p' stderr)
check "calls: uftrace threads -n 100" facts timeline_facts uftrace out.uftrace "$least" threads.wmk
export_uftrace inlined.wmk
check "uftrace replay" sh -c "uftrace replay --no-pager -d out.uftrace -F main |
	grep -qE '^ +[0-9.]+ us \[ +1\] \|     mixed\(\);'"
check "uftrace report" sh -c "uftrace report --no-pager -d out.uftrace | grep -qE ' 465 +tree$'"
"$WAYMARK" export chrome threads.wmk -n 1000 -o out.chrome 2>errors
check "at most so many" sh -c \
	'n=$(grep -o "\"ph\":\"B\"" out.chrome | wc -l); test "$n" -le 1000 -a "$n" -gt 500'
run sh -c "'$WAYMARK' export chrome inlined.wmk >/dev/full"
check "full disk" test "$status" -eq 2 -a -s stderr
"$WAYMARK" export chrome threads.wmk 2>stderr | head -c 100 >stdout
check "head" test -s stdout -a ! -s stderr
finish
