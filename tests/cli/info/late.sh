#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A recording that ends while its file is opened: the file is still being recorded, or complete.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CC:-cc}" -shared -fPIC -o late_lock.so "$SRC/tests/cli/info/late_lock.c"
mkfifo lines
"$WAYMARK" record -o run.wmk "$GUESTS/echo.O3" <lines >said &
recording=$!
exec 3>lines
until_true "$WAYMARK" ctl "$recording" flush
check "while it records" sh -c '"$WAYMARK" info run.wmk | grep "^complete *no: it is still being recorded"'

LD_PRELOAD=$PWD/late_lock.so "$WAYMARK" info run.wmk >late 3>&- &
reader=$!
until_true test -e asked
exec 3>&-
wait "$recording" || true
touch answered
check "it ended before the answer: info succeeds" wait "$reader"
check "it ended before the answer: complete" grep "^complete *yes" late
finish
