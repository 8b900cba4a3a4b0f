#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How children ended, one that a signal killed and one that was a program of the host's. Their
# parent has not waited for them, so that every kernel tells.

# shellcheck source=tests/cli/ctl/common
. "$(dirname "$0")/common"
build_steps

# others: the processes besides the first one that the recorder has and that live.
others() {
	"$WAYMARK" ctl status | sed -n '/^process  *pid/,/^$/p' |
		awk -v first="$guest" 'NR > 1 && NF && $2 != first { print $2 }'
}
has_other() { [ "$(others | wc -l)" -eq "$1" ]; }

begin run
step y
until_true has_other 1
kill -TERM "$(others)"
until_true has_other 0
end
"$WAYMARK" info run.wmk >text
check "the text says which signal" grep -qE '^ +1 +[0-9]+ +0 +fork +signal 15 ' text
"$WAYMARK" info --format json run.wmk >info.json
check "json does" "$PYTHON" -c 'import json
child = json.load(open("info.json"))["processes"][1]
assert child["signal"] == 15 and child["exit"] is None, child'

# Before the first process ends, and with it the zombie.
begin native
step z
ended_well() {
	"$WAYMARK" ctl flush && "$WAYMARK" info native.wmk >text &&
		grep -qE '^ +1 +[0-9]+ +0 +fork +exit 0 ' text
}
check "a program of the host's: exit 0" until_true ended_well
end
finish
