#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGKILL of QEMU at 240 random moments, or as many as KILLS says.

set -eu
KILLS=${KILLS:-240}
export KILLS
exec "$(dirname "$0")/../differential/kills.sh"
