# SPDX-License-Identifier: GPL-2.0-or-later
import os, sys
try:
    os.truncate(sys.argv[1], 4096)
except PermissionError:
    sys.exit(0)
sys.exit("it could be made shorter")
