#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fetch-uplot.sh - print the path of the chart library's package, fetched on first use.
#
# usage: tools/fetch-uplot.sh [--cached]
#
# The library is uPlot (MIT licence); `waymark report` puts it into the pages it makes.

set -eu

# shellcheck source=tools/npm-package.sh
. "$(dirname "$0")/npm-package.sh"

npm_package uplot 1.6.32 \
	2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023 "$@"
