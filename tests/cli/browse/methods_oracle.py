# SPDX-License-Identifier: GPL-2.0-or-later
"""Steps among bytecodes by brute force over a list of all bytecodes of a thread.

usage: methods_oracle.py TRACE THREAD FILE POSITIONS [LEFT_OUT]

Presses keys in `waymark browse` from many bytecodes, most of them of FILE, none of the method
LEFT_OUT, and compares where it
is then with what the list of bytecodes (`waymark bytecodes`) and the tree of calls (`waymark calls
--tree --methods`) say. The tree's frames are those of a stack that knows the native code, too.
"""
import bisect, csv, io, os, random, subprocess, sys

WAYMARK = os.environ["WAYMARK"]
trace, thread, file, positions = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
left_out = sys.argv[5] if len(sys.argv) > 5 else None


def out(*words):
    return subprocess.run([WAYMARK, *words], check=True, text=True, stdout=subprocess.PIPE).stdout


def table(*words):
    return list(csv.DictReader(io.StringIO(out(*words, "--thread", thread, "--format", "csv", trace))))


rows = [row for row in table("bytecodes") if row["unit"]]
insns = [int(row["insn"]) for row in rows]
lines = [(row["unit"], row["file"], row["line"]) if row["line"] != "0" else None for row in rows]
events = [(int(e["insn"]), e["event"], e["function"]) for e in table("calls", "--tree", "--methods")]
assert rows and events

# The frames of the thread: (begin, number of the frame below); number 0 is what is below all. Code
# that HotSpot enters in the middle of a loop (OSR) goes on with a frame; the tree has one for it.
frames = [(-1, 0)]
frame_of = []  # of each row
at, open_ = 0, [0]
for insn in insns:
    while at < len(events) and events[at][0] <= insn:
        if events[at][1] != "entry":
            open_.pop()
        elif " OSR]" in events[at][2]:
            open_.append(open_[-1])
        else:
            frames.append((events[at][0], open_[-1]))
            open_.append(len(frames) - 1)
        at += 1
    frame_of.append(open_[-1])


def there(row, since):
    """Whether the frame of a row was there already at row `since`."""
    return frames[frame_of[row]][0] <= insns[since]


def first(rows_of, fits):
    return next((row for row in rows_of if fits(row)), None)


def after(row):
    return range(row + 1, len(rows))


def before(row):
    return range(row - 1, -1, -1)


def back_from(row):
    """A position is an instruction: rows that begin with the same one are no step back."""
    return range(bisect.bisect_left(insns, insns[row]) - 1, -1, -1)


def in_frame(row, frame):
    return first(range(row, -1, -1), lambda r: frame_of[r] == frame)


def caller(row):
    """The bytecode with which the frame below waits."""
    return in_frame(row, frames[frame_of[row]][1])


def line_begin(row, same):
    """The first row of the line that is executed at a row; `same` are the rows that count."""
    while row is not None and not lines[row]:
        row = first(before(row), same)
    begin = row
    while row is not None and (not lines[row] or lines[row] == lines[begin]):
        begin = row if lines[row] else begin
        row = first(before(row), same)
    return begin


def line_before(row, same):
    if not lines[row]:
        return line_begin(row, same)
    begin = line_begin(row, same)
    ahead = first(back_from(begin), lambda r: same(r) and lines[r])
    return None if ahead is None else line_begin(ahead, same)


def step(key, row):
    own = lambda r: frame_of[r] == frame_of[row]
    other = lambda r: lines[r] and lines[r] != line_now(row)
    if key == "i":
        return first(after(row), lambda r: True)
    if key == "o":
        return first(after(row), lambda r: there(r, row))
    if key == "f":
        return first(after(row), lambda r: there(r, row) and not own(r))
    if key == "s":
        return first(after(row), other)
    if key == "n":
        return first(after(row), lambda r: there(r, row) and (other(r) if own(r) else lines[r]))
    if key == "I":
        return first(back_from(row), lambda r: True)
    if key == "O":
        back = first(back_from(row), own)
        return caller(row) if back is None else back
    if key == "F":
        return caller(row)
    if key == "S":
        return line_before(row, lambda r: True)
    back = line_before(row, own)
    if back is not None:
        return back
    below = caller(row)
    if below is None:
        return None
    return line_begin(below, lambda r: frame_of[r] == frame_of[below])


def line_now(row):
    """The line that is executed: the latest one that is known."""
    known = first(range(row, -1, -1), lambda r: lines[r])
    return None if known is None else lines[known]


def stack(row):
    """The bytecodes at which the methods wait, from the innermost."""
    waiting = [row]
    while (below := caller(waiting[-1])) is not None and frame_of[below]:
        waiting.append(below)
    return waiting


random.seed(7)
# Of bytecodes that begin with one instruction the last is the position.
places = [row for row in range(len(rows)) if row + 1 == len(rows) or insns[row + 1] != insns[row]]
places = [row for row in places if rows[row]["unit"] != left_out]
own = [row for row in places if os.path.basename(rows[row]["file"]) == file]
chosen = random.sample(own, min(len(own), positions)) + random.sample(places, positions // 4)
KEYS = "iosnfIOSNF"
pressed, wanted = "", []
for row in chosen:
    for key in KEYS:
        pressed += f"g{insns[row]};{key}"
        to = step(key, row)
        wanted.append((row, key, None if to is None or not frame_of[row] else insns[to]))
shown = [line.split(" of ")[0].replace(",", "") for line in
         out("browse", "--thread", thread, "--keys", pressed, trace).splitlines()[1:]]
assert len(shown) == 2 * len(wanted), (len(shown), len(wanted))
wrong = moved = 0
for i, (row, key, to) in enumerate(wanted):
    got = shown[2 * i + 1]
    if not frame_of[row]:
        continue
    moved += to is not None
    if str(to) != got and not (to is None and not got.isdigit()):
        wrong += 1
        print(f"{key} at {insns[row]} ({rows[row]['unit']}@{rows[row]['offset']}): {got}, wanted {to}")
print(moved, "steps of", len(wanted), "lead somewhere,", wrong, "to another place")
# The frames, by what Return goes to.
deep = sorted(chosen, key=lambda row: -len(stack(row)))[:8]
for row in deep:
    wait = stack(row)
    keys = f"g{insns[row]};R" + "u" * (len(wait) - 1) + "\r"
    last = out("browse", "--thread", thread, "--keys", keys, trace).splitlines()[-1]
    if last.split(" of ")[0].replace(",", "") != str(insns[wait[-1]]):
        wrong += 1
        print(f"the outermost of {len(wait)} frames at {insns[row]}: {last}, wanted {insns[wait[-1]]}")
assert moved > len(wanted) / 2 and len(stack(deep[0])) > 1
sys.exit(wrong > 0)
