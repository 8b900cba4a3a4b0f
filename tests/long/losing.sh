#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The same with 1,100 children at once, and a collector that stands still for five seconds.

set -eu
LOSING_CHILDREN=${LOSING_CHILDREN:-1100}
LOSING_SECONDS=${LOSING_SECONDS:-5}
export LOSING_CHILDREN LOSING_SECONDS
exec "$(dirname "$0")/../differential/losing.sh"
