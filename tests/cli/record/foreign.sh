#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Processes that become programs of the host's machine run on, untraced; their user is told.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

busybox=$("$SRC/tests/sysroot.sh")/usr/bin/busybox
host=/bin/true

# told NAME: what the recorder and info say of it, without the recorder's name.
told() {
	sed -n 's/^waymark: //p' "$1.err" >"$1.said"
	"$WAYMARK" info "$1.wmk" | sed -n 's/^not recorded  */not recorded: /p' >"$1.info"
	same "info says what the recorder has said: $1" "$1.said" "$1.info"
}
status=0
"$WAYMARK" record -o two.wmk "$busybox" sh -c "$host; $host; exit 5" 2>two.err || status=$?
check "the exit status is the program's" test "$status" = 5
told two
echo "not recorded: 2 processes became programs of another machine, such as $host" >wanted
same "how many, and one of them" wanted two.said

"$WAYMARK" record -o one.wmk "$busybox" sh -c "exec $host" 2>one.err
told one
echo "not recorded: 1 process became a program of another machine, $host" >wanted
same "one has its name" wanted one.said

# What cannot be executed is no program of another machine, and the process goes on.
head -c 64 "$host" >cut
chmod +x cut
"$WAYMARK" record -o none.wmk "$busybox" sh -c "./missing; ./cut; $busybox true" 2>none.err
check "all others are recorded" sh -c '! grep -q "^waymark:" none.err &&
	[ "$("$WAYMARK" info none.wmk | grep -c "not recorded")" = 0 ]'
printf '#!%s\n' "$host" >script
chmod +x script
"$WAYMARK" record -o script.wmk "$busybox" sh -c "exec ./script" 2>script.err
told script
same "a script is what runs it" wanted script.said
finish
