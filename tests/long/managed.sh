#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Node.js by its guide: calls are counted as the program counts them itself, shares are those
# of V8's own sampling profiler, npm's command line behaves as without recording, and its code has names.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

sysroot=$("$SRC/tests/sysroot.sh" jit)
node=$sysroot/usr/bin/node
js=$SRC/tests/guests/js

# methods TRACE COLUMN FILE: name and column of the methods of a file
methods() {
	"$WAYMARK" hot --by method --format csv -f "method,source,$2" "$1" | tr -d '\r"' |
		sed -n "s/^\([^,]*\),$3:[0-9]*,/\1 /p"
}

# A method that is resumed is entered again, so generators and async functions are left out;
# of two methods called area one calls the other. Functions without a name of their own have
# V8's for them.
run "$WAYMARK" record -L "$sysroot" -o count.wmk -- "$node" "$js/count.js"
cp stderr counted
check "the program ran" grep -q '^1166109 1,2$' stdout
methods count.wmk executions count.js | grep -vE '^(gen|later|count|kinds.*|\(anonymous\)) ' | sort >got
sed 's/^Square[.]area/area/' counted | grep -vE '^(gen|later) ' | sort >wanted
same "calls, in all tiers" wanted got
methods count.wmk executions count.js | grep '^count ' >got
awk '{ n += $2 } END { print "count", n }' counted >wanted
same "calls of what counts" wanted got
check "nothing is left behind" test "$(find . -name 'jit-*' -o -name '*v8.log' | wc -l)" -eq 0

# shares NAME-AND-NUMBER...: of three functions
shares() {
	awk '/^(once|twice|fourfold) / { n[$1] += $2; sum += $2 }
		END { for (name in n) print name, n[name] / sum }' | sort
}

"$QEMU" -L "$sysroot" "$node" --cpu-prof --cpu-prof-name=run.cpuprofile "$js/shares.js" >/dev/null
"$PYTHON" -c 'if True:
	import collections, json
	hits = collections.Counter()
	for node in json.load(open("run.cpuprofile"))["nodes"]:
		hits[node["callFrame"]["functionName"]] += node["hitCount"]
	for name, n in hits.items():
		print(name.replace(" ", "_") or "-", n)' >hits
"$WAYMARK" record -q -L "$sysroot" -o shares.wmk -- "$node" "$js/shares.js" >/dev/null
shares <hits >sampled
methods shares.wmk insns shares.js | shares >exact
check "three functions" test "$(cat exact sampled | wc -l)" -eq 6
# Four standard deviations, and what compiling in the background distorts.
check "shares are those of --cpu-prof" "$PYTHON" -c 'if True:
	import math, sys
	sampled, exact = (dict((line.split()[0], float(line.split()[1])) for line in open(name))
		for name in ("sampled", "exact"))
	hits = dict((line.split()[0], int(line.split()[1])) for line in open("hits"))
	n = sum(hits[name] for name in exact)
	for name, share in exact.items():
		error = 4 * math.sqrt(share * (1 - share) / n) + 0.02
		print(name, share, sampled[name], n)
		assert n > 100 and abs(share - sampled[name]) < error, name'

npm=$(command -v npm) && npm=$(dirname "$(realpath "$npm")")/npm-cli.js
if [ -z "$npm" ] || [ ! -f "$npm" ]; then
	echo "ok npm # SKIP it is not installed"
	finish
fi
mkdir -p project home
echo '{"name":"x","version":"1.0.0"}' >project/package.json
cd project || exit 2
export HOME="$PWD/../home" npm_config_update_notifier=false
run "$QEMU" -L "$sysroot" "$node" "$npm" ls --json
cp stdout wanted
run "$WAYMARK" record -L "$sysroot" -o ../npm.wmk -- "$node" "$npm" ls --json
same "npm prints what it does without" wanted stdout
check "npm exits as it does without" test "$status" -eq 0
check "npm: the trace is sound" "$WAYMARK" verify -q ../npm.wmk
"$WAYMARK" hot --format csv -f module,insns -n 100000 ../npm.wmk | tr -d '\r"' |
	awk -F, '$1 == "[jit]" { named += $2 } $1 == "" { bare += $2 }
		END { print named / (named + bare) }' >share
"$WAYMARK" hot --by method --format csv -f insns,method -n 1000000 ../npm.wmk >methods
check "npm: by method 99 % has names" awk -F, \
	'{ all += $1 } $2 ~ /^"?\[/ { bare += $1 } END { exit !all || bare > all / 100 }' methods
check "npm: of code made at run time 99 % is named" \
	awk '{ print; exit !($1 > 0.99) }' share
finish
