# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile.py WAYMARK STATE...: merges state files that were cut short, changed, or given
another command line, with a right checksum. Prints a line for each check. Other command lines
are for a state of `hot`."""

import glob
import os
import struct
import subprocess
import sys

import xxhash

waymark, *paths = sys.argv[1:]
GUARD = int(os.environ.get("GUARD", "600"))  # seconds
body = open(paths[0], "rb").read()[:-8]
status = 0


def merge(data):
    """The exit status of a merge of the first file with these bytes."""
    with open("hostile.wms", "wb") as file:
        file.write(data)
    done = subprocess.run([waymark, "merge", "hostile.wms", *paths[1:]],
                          capture_output=True, timeout=GUARD, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def signed(data):
    return data + struct.pack("<Q", xxhash.xxh3_64_intdigest(data))


def check(name, good, why=""):
    global status
    print("ok" if good else "not ok", name)
    if not good:
        print("#", why)
        status = 1


def refused(name, data):
    code, out, err = merge(data)
    check(name, code == 2 and not out and err.count("\n") <= 2, (code, out[:80], err))


def string(text):
    return bytes([len(text)]) + text


def with_words(*words):
    """The file with another command line; the first has one word, "hot"."""
    assert body[8:13] == b"\x01\x03hot"
    return signed(body[:8] + bytes([len(words)]) +
                  b"".join(string(word) for word in words) + body[13:])


check("as it is", merge(signed(body))[0] == 0)
refused("a wrong checksum", body + bytes(8))
bad = [n for n in range(0, len(body), max(7, len(body) // 200)) if merge(body[:n] + signed(body)[-8:])[0] != 2]
check("cut short", not bad, bad)
crashed = [n for n in range(8, min(len(body), 160))
           if merge(signed(body[:n] + b"\xff" + body[n + 1:]))[0] not in (0, 2)]
check("each byte", not crashed, crashed)
if body[8:13] != b"\x01\x03hot":
    sys.exit(status)
refused("no words", signed(body[:8] + b"\x00" + body[13:]))

for words in ([b"record", b"--", b"touch", b"evil"], [b"hot", b"-o", b"evil"],
              [b"hot", b"--output=evil"], [b"cover", b"--lcov", b"evil"],
              [b"phases", b"--interval", b"500", b"--simpoint", b"evil"],
              [b"cache", b"--cachegrind", b"evil"],
              [b"hot", b"--part", b"1/2", b"--state", b"evil"],
              [b"merge", b"hostile.wms"], [b"help"]):
    name = b" ".join(words).decode()
    with open("hostile.wms", "wb") as file:
        file.write(with_words(*words))
    done = subprocess.run([waymark, "merge", "hostile.wms"], capture_output=True,
                          timeout=GUARD, check=False)
    check("the words: " + name, done.returncode == 2 and not glob.glob("evil*"),
          (done.returncode, done.stderr))
sys.exit(status)
