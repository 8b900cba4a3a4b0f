#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A thread that goes from one process into another and back (tests/unit/make_trace.c): names
# are those of the process it is in at that position. What is printed, to the byte.

set -eu
"$BUILD/tests/unit/make_trace" spaces.wmk spaces

# show WORD...: a command and what it prints.
show() {
	echo "\$ waymark $*"
	{ "$WAYMARK" "$@" 2>&1 || echo "exit status $?"; } | grep -vE '^(file|density) '
}

show info spaces.wmk
show verify spaces.wmk
show insns spaces.wmk
show insns spaces.wmk --from 12 --to 14 --format csv
show insns spaces.wmk --process 45 --from 24 --no-events
show blocks spaces.wmk --from 6 --to 9
show events spaces.wmk
show hot spaces.wmk
show hot -b block -f insns,executions,address,function spaces.wmk
show hot --from 10 --to 15 spaces.wmk
show calls spaces.wmk
show calls --tree spaces.wmk
show cfg --loops spaces.wmk
show cfg --function two_help spaces.wmk
show cover -b function spaces.wmk
show annotate one_help spaces.wmk
show annotate two_help spaces.wmk
show annotate handle spaces.wmk
show mix --function one_help spaces.wmk
show mix --function two_help spaces.wmk
show phases spaces.wmk
show diff spaces.wmk spaces.wmk --from two_help --to handle@2
show browse --keys 'gtwo_help; > $ Gtwo_help; gone_help;' spaces.wmk

# A copy that lost its end says the same.
head -c "$(($(wc -c <spaces.wmk) - 30))" spaces.wmk >torn.wmk
"$WAYMARK" recover --output mended.wmk torn.wmk >/dev/null
show hot mended.wmk
