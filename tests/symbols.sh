#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No two files of the command define the same global function or variable: the linker takes
# whichever it meets first from an archive, and says nothing.

set -eu

: "${BUILD:?run me through tests/run.sh}"

# A file that is part of two archives has the same name in both.
find "$BUILD"/libwaymark*.a.p "$BUILD"/waymark.p -name '*.c.o' -exec nm -A -g --defined-only {} + |
	awk '{ file = $1; sub(/:.*/, "", file); sub(/.*\//, "", file)
		if (!(($NF, file) in seen)) { seen[$NF, file] = 1; files[$NF] = files[$NF] " " file; n[$NF]++ } }
		END { for (name in n) if (n[name] > 1) print name ":" files[name] }' | sort >twice
if [ -s twice ]; then
	echo "not ok global names"
	sed 's/^/# /' twice
	exit 1
fi
echo "ok global names"
