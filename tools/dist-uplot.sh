#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# dist-uplot.sh - put the chart library into the source that `make dist` packs.
#
# Meson calls it. A build of that source needs no network for `waymark report`, as package
# builders have none.

set -eu

package=$("$MESON_SOURCE_ROOT/tools/fetch-uplot.sh") || exit 0
cp "$package" "$MESON_DIST_ROOT/tools/"
