#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every question by each number of processes and parts that tests/cli/merge/every.sh has in turn.

ALL=1 exec "$SRC/tests/cli/merge/every.sh"
