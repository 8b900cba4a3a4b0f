#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of README.md, typed as they are printed there, one after the other, in a tree
# as a fresh clone is after make. Each succeeds and prints what is printed there, numbers
# apart: these depend on the environment.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cp -r "$SRC/examples" "$SRC/README.md" .
ln -s "$SRC/include" include
ln -s "$BUILD" build

cp "$SRC/tests/cli/main/typed.py" .
"$PYTHON" typed.py README.md 20
finish
