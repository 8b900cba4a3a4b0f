# SPDX-License-Identifier: GPL-2.0-or-later
import csv, json, subprocess, sys
waymark, name, folder = sys.argv[1:]
def out(*words):
    return subprocess.run([waymark, *words, "run.wmk"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
info = json.loads(out("info", "--format", "json"))
assert "th\nFORGED\x1b[3" in [t["name"] for t in info["threads"]], info["threads"]
assert info["processes"][0]["path"].startswith(folder), info["processes"]
assert name in [row["function"] for row in json.loads(out("hot", "--format", "json"))]
names = {row["function"] for row in csv.DictReader(out("hot", "--format", "csv").splitlines(True))}
assert name.replace("\x1b", "?") in names, names
