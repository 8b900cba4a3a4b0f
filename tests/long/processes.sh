#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of many threads and processes, in all variants.

VARIANTS=all exec "$SRC/tests/differential/processes.sh"
