#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/tutorial.md, typed as it is written: every command succeeds and prints what is there.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cp "$SRC/docs/tutorial.md" "$SRC/tests/cli/main/typed.py" .
mkdir bin
ln -s "$WAYMARK" bin/waymark
PATH=$PWD/bin:$PATH "$PYTHON" typed.py tutorial.md 10
finish
