#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The plugin given to QEMU by hand starts the collector itself.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

plugin=$BUILD/libwaymark-v$("$SRC/tests/plugin-api.sh" "$QEMU").so
guest=$GUESTS/status.O3

# of_main FILE: how many instructions of main ran. (What libc does depends on addresses.)
of_main() { "$WAYMARK" insns "$1" --format csv | awk -F, '$3 == "main"' | wc -l; }

"$WAYMARK" record -o wanted.wmk "$guest" >/dev/null || true
of_main wanted.wmk >wanted

run "$QEMU" -plugin "$plugin,out=run.wmk" "$guest"
check "the guest's status is its own" test "$status" -eq 7
check "nothing on stderr" test ! -s stderr
check "the trace is whole" "$WAYMARK" verify run.wmk
of_main run.wmk >got
same "the trace is the same" wanted got

run env QEMU_PLUGIN="$plugin,out=env.wmk" "$QEMU" "$guest"
check "through the environment" "$WAYMARK" verify env.wmk

run "$QEMU" -plugin "$plugin" "$guest"
check "a message when out= is missing" grep -q '^waymark: .*out=' stderr
run "$QEMU" -plugin "$plugin,out=nowhere/run.wmk" "$guest"
check "a message names a file that cannot be written" grep -q '^waymark: .*nowhere/run.wmk' stderr

refused "collect is not for people" '*not you*' sh -c "'$WAYMARK' collect 2>&1 | head -n 1 >&2; exit 2"
finish
