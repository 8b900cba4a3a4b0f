#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Parts that GNU parallel computes, as waymark-merge(1) shows it; one of them fails and is
# computed again, as its log of jobs says.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

# Another program has the same name (moreutils).
if ! parallel --version 2>/dev/null | grep -q "^GNU"; then
	echo "ok parts by GNU parallel # SKIP there is no GNU parallel"
	exit 0
fi
# Its settings and its request for citation are those of a user, who is not asked here.
export HOME="$PWD" PARALLEL="--will-cite"

"$WAYMARK" record --mem --last=256k -o churn.wmk "$GUESTS/churn.O0" >/dev/null
for question in "calls --format folded" "cache --by line" "hot --by block"; do
	# shellcheck disable=SC2086 # words
	"$WAYMARK" $question churn.wmk >wanted
	rm -f p*.wms
	# shellcheck disable=SC2016,SC2086 # words; parallel puts the number into {}
	run parallel -j 2 "$WAYMARK" $question --part {}/7 --state p{}.wms churn.wmk \
		::: 1 2 3 4 5 6 7
	check "$question: all jobs" test "$status" -eq 0 -a ! -s stderr
	"$WAYMARK" merge p*.wms >got
	same "$question" wanted got
done

# The trace is away while the jobs run, but for the last two.
mv churn.wmk away.wmk
cat >job <<'END'
[ "$1" -lt 6 ] || ln -sf away.wmk churn.wmk
exec "$WAYMARK" hot --part "$1/7" --state "q$1.wms" churn.wmk
END
run parallel -j 1 --joblog jobs sh job ::: 1 2 3 4 5 6 7
check "five jobs fail" test "$status" -eq 5
refused "what is missing" "*5 of 7 parts are missing, the first is 1" \
	"$WAYMARK" merge q6.wms q7.wms
run parallel -j 2 --joblog jobs --resume-failed sh job ::: 1 2 3 4 5 6 7
check "they are done again" test "$status" -eq 0
"$WAYMARK" hot churn.wmk >wanted
"$WAYMARK" merge q*.wms >got
same "all of it" wanted got
finish
