#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Speedscope's own importers, of the package that its page is made of, read every profile that
# is for it: each function has the instructions, and the total, that `waymark calls` says.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

package=$("$SRC/tools/fetch-speedscope.sh" 2>/dev/null) || package=
if [ -z "$package" ] || ! command -v node >/dev/null; then
	echo "ok speedscope reads profiles # SKIP node or npm's package speedscope is not there"
	exit 0
fi
tar xzf "$package"
SPEEDSCOPE=$(echo package/dist/release/speedscope-*.js)
export SPEEDSCOPE

# shellcheck source=tests/cli/export/traces
. "$(dirname "$0")/traces"

# stacks FORMAT TRACE [OPTION...]: profiles of calling contexts.
stacks() {
	format=$1
	shift
	"$WAYMARK" export "$format" "$@" -o out 2>errors
	check "$format: $*" facts profile_facts speedscope out "$@"
}

# timelines TRACE [OPTION...]: call by call, or the longest $most of them.
most=
timelines() {
	for format in speedscope chrome; do
		# shellcheck disable=SC2086 # none or two words
		"$WAYMARK" export $format "$@" $most -o out 2>errors
		least=$(sed -n 's/,//g; s/.* of fewer than \([0-9]*\) instructions .*/\1/p' errors)
		check "$format: $*" facts timeline_facts weights out "${least:-1}" "$@"
	done
}

for trace in inlined throws threads handlers gaps; do
	stacks folded $trace.wmk
	stacks pprof $trace.wmk
	timelines $trace.wmk
done
stacks folded threads.wmk --thread 1
timelines threads.wmk --thread 1
timelines inlined.wmk --from 1000 --to 20001
most="-n 1000"
timelines threads.wmk

echo '{' >'cut'
check "what is no profile is refused" sh -c \
	"! node '$SRC/tests/cli/export/speedscope.js' '$SPEEDSCOPE' 'cut' 2>/dev/null"
finish
