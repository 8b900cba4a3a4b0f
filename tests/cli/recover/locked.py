# SPDX-License-Identifier: GPL-2.0-or-later
import fcntl, subprocess, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    sys.exit(subprocess.call(sys.argv[2:]))
