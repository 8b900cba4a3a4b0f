#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fetch-speedscope.sh - print the path of speedscope's package, fetched on first use.
#
# usage: tools/fetch-speedscope.sh [--cached]
#
# The tests of exports read profiles with it (MIT licence). Nothing else needs it.

set -eu

# shellcheck source=tools/npm-package.sh
. "$(dirname "$0")/npm-package.sh"

npm_package speedscope 1.25.0 \
	7297fd1d64d97f58a32d7049ae4f3b55eff9e2d9d8c7aae57f48144e1be7de8a24ea1eb784b5d539088c7f8e0f4fe5e8579d3770f7ef7e24f980fe6fa23a7a02 "$@"
