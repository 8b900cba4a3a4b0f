# SPDX-License-Identifier: GPL-2.0-or-later
"""brute.py WAYMARK TRACE: the tables of made.sh against what brute force finds in made.csv."""
import csv
import random
import subprocess
import sys

waymark, trace = sys.argv[1:]
LINE, PAGE = 64, 4096


def rows(name):
    return list(csv.DictReader(open(name)))


def report(name, good, *why):
    print("ok" if good else "not ok", name)
    for line in [] if good else why:
        print("#", line)


made = rows("made.csv")
for row in made:
    for key in "insn", "thread", "size":
        row[key] = int(row[key])
    row["at"] = int(row["address"], 0)


def units(row, size):
    """The lines, or pages, that an access touches."""
    return range(row["at"] // size, (row["at"] + row["size"] - 1) // size + 1)


def touches(row, first, length):
    return row["at"] < first + length and row["at"] + row["size"] > first


def plain(found):
    return [[str(row[k]) for k in ("insn", "thread", "address", "size", "kind", "value")]
            for row in found]


# ---- lists
wanted = [row for row in made if touches(row, 0x7000123, 777)]
report("--watch", wanted and plain(wanted) == plain(rows("watch.csv")))
report("--watch --by page", [sum(int(row[c]) for row in rows("watched.csv"))
                             for c in ("accesses", "bytes", "loads", "stores")]
       == [len(wanted), sum(row["size"] for row in wanted),
           *(sum(row["kind"] == k for row in wanted) for k in ("load", "store"))])
wanted = [row for row in made if row["thread"] == 0 and 100 <= row["insn"] < 700]
report("--from, --to", wanted and plain(wanted) == plain(rows("part.csv")))

random.seed(4)
different = found = 0
for i in range(40):
    row = random.choice([row for row in made if row["thread"] == 0])
    at, insn = row["at"] + random.randrange(row["size"]), row["insn"] + random.randrange(900)
    text = subprocess.run([waymark, "mem", trace, "--thread", "0", "--last-writer",
                           "%d@%d" % (at, insn), "--format", "csv"],
                          capture_output=True, text=True, check=True).stdout
    answer = plain(csv.DictReader(text.splitlines()))
    stores = [row for row in made if row["thread"] == 0 and row["insn"] < insn
              and row["kind"] == "store" and touches(row, at, 1)]
    found += bool(stores)
    different += answer != plain(stores[-1:])
report("--last-writer", found > 5 and not different, "%d of 40 differ" % different)

# ---- sums
# An access counts in the page of its first byte, and touches lines of the next one, too.
pages, lines_in = {}, {}
for row in made:
    page = pages.setdefault(row["at"] // PAGE, [0, 0, 0, 0])
    page[0] += 1
    page[1] += row["size"]
    page[2] += row["kind"] == "load"
    page[3] += row["kind"] == "store"
    for line in units(row, LINE):
        lines_in.setdefault(line * LINE // PAGE, set()).add(line)
table = {int(row["page"], 0) // PAGE: row for row in rows("page.csv")}
columns = "accesses", "bytes", "loads", "stores"
good = table.keys() == pages.keys() and all(
    [int(table[k][c]) for c in columns] == v
    and int(table[k]["cache_lines"]) == len(lines_in[k])
    for k, v in pages.items())
report("--by page", good and len(pages) > 20)
report("every access has a stride", all(
    sum(int(row[c]) for c in ("constant", "strided", "irregular")) == int(row["accesses"])
    for row in table.values()))
report("of each kind there are some", all(
    sum(int(row[c]) for row in table.values()) > 20 for c in ("constant", "strided", "irregular")))
lines = sum(map(len, lines_in.values()))
function = rows("function.csv")
report("--by function", len(function) == 1 and int(function[0]["accesses"]) == len(made)
       and int(function[0]["cache_lines"]) == lines and int(function[0]["pages"]) == len(lines_in))
report("accesses cross lines and pages", all(
    any(len(units(row, size)) == 2 for row in made) for size in (LINE, PAGE)))
report("--by object", sum(int(row["accesses"]) for row in rows("object.csv")) == len(made))
report("--by line", sum(int(row["accesses"]) for row in rows("line.csv")) == len(made))

# ---- over time
sets = {}
seen = set()
for row in made:
    one = sets.setdefault((row["thread"], row["insn"] // 1000 * 1000),
                          [0, 0, set(), 0, set(), 0])
    one[0] += 1
    one[1] += row["size"]
    for at, bits in (2, LINE), (4, PAGE):
        for key in units(row, bits):
            one[at].add(key)
            one[at + 1] += (row["thread"], bits, key) not in seen
            seen.add((row["thread"], bits, key))
wanted = [[str(x) for x in (*k, v[0], v[1], len(v[2]), v[3], len(v[4]), v[5])]
          for k, v in sets.items()]
columns = ("thread", "from", "accesses", "bytes", "cache_lines", "new_cache_lines", "pages",
           "new_pages")
report("--working-set", wanted == [[row[c] for c in columns] for row in rows("workset.csv")])

distances, first = {}, 0
for thread in 0, 1:
    stack = []
    for row in made:
        if row["thread"] != thread:
            continue
        # One access, and the greater distance of its lines.
        greatest = 0
        for line in units(row, LINE):
            at = stack.index(line) if line in stack else float("inf")
            if line in stack:
                stack.pop(at)
            stack.insert(0, line)
            greatest = max(greatest, at)
        if greatest == float("inf"):
            first += 1
        else:
            least = 1 << (greatest.bit_length() - 1) if greatest else 0
            distances[least] = distances.get(least, 0) + 1
table = {row["distance"]: int(row["accesses"]) for row in rows("reuse.csv")}
report("--reuse", table.pop("") == first and
       {int(k): v for k, v in table.items() if v} == distances)
