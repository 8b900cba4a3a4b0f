#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Other inputs than those of tests/fuzz/run.sh, each time: a minute for each target, or as many
# FUZZ_SECONDS.

set -eu
export FUZZ_SEED=0 FUZZ_SECONDS="${FUZZ_SECONDS:-60}"
exec "$(dirname "$0")/../fuzz/run.sh"
