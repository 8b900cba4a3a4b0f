# SPDX-License-Identifier: GPL-2.0-or-later
import bisect, json, re, subprocess, sys
name, path, symbols, least = sys.argv[1:]
tools = sys.stdin.readline().strip()

def run(tool, *words):
    done = subprocess.run([tools + tool, *words], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()

# Address to size and names, of functions and of labels.
known = {}
for line in run("nm", "-S", "--defined-only", *symbols.split()):
    words = line.split()
    if len(words) == 3:
        words.insert(1, "0")
    if words[2] in "tTwWi":
        size, names = known.get(int(words[0], 16), (0, set()))
        known[int(words[0], 16)] = (max(size, int(words[1], 16)),
                                    names | {words[3].split("@")[0]})
starts = sorted(known)
# Stubs have the names of their functions. Of those that end in a function of the file itself,
# objdump says the address of what chooses it, or nothing.
chosen = {}
for line in run("readelf", "-rW", path):
    match = re.match(r"(\w+) .* R_\w+_IRELATIVE +(\w+)$", line)
    if match:
        chosen[int(match[1], 16)] = int(match[2], 16)
plt = {}
code = {}
for line in run("objdump", "-d", path):
    match = re.match(r"(\w+) <(.*@plt)>:", line)
    if match:
        plt[int(match[1], 16)] = {match[2]}
    # What all stubs share: the first call of each comes through it to the dynamic linker.
    match = re.match(r"(\w+) <(_PROCEDURE_LINKAGE_TABLE_|\.plt|.*@plt-0x\w+)>:", line)
    if match:
        plt[int(match[1], 16)] = {"_dl_runtime_resolve@plt"}
    match = re.match(r" +(\w+):\t\S+ +\t(.*)", line)
    if match:
        code[int(match[1], 16)] = match[2]
        slot = re.match(r"ld\t.* # (\w+)", match[2])  # the second instruction of a stub
        if slot and int(slot[1], 16) in chosen:
            names = known[chosen[int(slot[1], 16)]][1]
            plt[int(match[1], 16) - 4] = {one + "@plt" for one in names}
loads = [[int(word, 16) for word in line.split()[1:5]] + ["E" in line.split()[6:-1]]
         for line in run("readelf", "-lW", path) if line.split()[:1] == ["LOAD"]]

def address_in_file(off):
    for at, address, _, size, is_code in loads:
        if is_code and at <= off < at + size:
            return address + off - at

modules = [(int(m["start"], 16), int(m["end"], 16), m["offset"])
           for m in json.load(open(name + ".info"))["modules"]
           if m["path"] and m["path"].endswith(path.lstrip("."))]
assert modules, path
named = unnamed = 0
for line in open(name + ".jsonl"):
    block = json.loads(line)
    address, got, offset = int(block["address"], 16), block["symbol"], block["offset"]
    module = next((m for m in modules if m[0] <= address < m[1]), None)
    if not module:
        continue
    place = address_in_file(address - module[0] + module[2])
    named += got is not None
    unnamed += got is None
    if got is None:  # nor does nm know a function there
        last = bisect.bisect_right(starts, place) - 1
        assert last < 0 or place >= starts[last] + known[starts[last]][0], block
    elif got.startswith("sub_") or got == "_dl_runtime_resolve":
        # By the tables for unwinding: nm knows none there.
        if got.startswith("sub_"):
            assert int(got[4:], 16) == place - offset, block
        else:  # by its code, which takes what a stub has left in t0 and t1
            text = [code.get(place - offset + 2 * i, "") for i in range(40)]
            assert re.search(r"\ta1,t1,(0x)?1 .*mv\ta0,t0 ", " ".join(text)), text
        last = bisect.bisect_right(starts, place) - 1
        assert last < 0 or place >= starts[last] + known[starts[last]][0], block
    elif got.endswith("@plt"):
        assert got in plt[place - offset], block
    else:
        size, names = known[place - offset]
        assert got in names and (not size or offset < size), (hex(place), block)
print(name, path, "named", named, "of", named + unnamed)
assert named >= int(least)
