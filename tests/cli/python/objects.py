# SPDX-License-Identifier: GPL-2.0-or-later
#
# objects.py TRACE OTHER WITHOUT MACHINE: how objects of the Python package end, fail and are printed.

import copy
import gc
import os
import pickle
import shutil
import sys
import threading
import warnings

import pandas
import waymark

path, other, without, machine = sys.argv[1:]
failures = 0


def check(what, good, why=""):
    global failures
    print("ok" if good else "not ok", what)
    if not good:
        failures += 1
        print("# " + str(why).replace("\n", "\n# "))


def raises(what, kind, function, *arguments, **options):
    try:
        result = function(*arguments, **options)
    except kind as error:
        check(what, str(error) and len(str(error)) < 300, str(error))
        return error
    except Exception as error:  # what is raised instead is the result
        check(what, False, repr(error))
    else:
        check(what, False, f"nothing was raised: {result!r}")
    return None


# ---- files -----------------------------------------------------------------------

os.mkdir("folder.wmk")
for name, kind in (("nowhere.wmk", waymark.Error), ("folder.wmk", waymark.Error),
                   (sys.executable, waymark.FormatError)):
    failure = raises(f"no trace: {name}", kind, waymark.open, name)
    check("the file is named once", str(failure).count(name) == 1, failure)
with open(path, "rb") as file:
    whole = bytearray(file.read())
with open("cut.wmk", "wb") as file:
    file.write(whole[:len(whole) * 2 // 3])
cut = waymark.open("cut.wmk")
check("a trace that is cut short opens", not cut.summary.complete and cut.summary.cut)
whole[len(whole) // 2] ^= 0x55
with open("damaged.wmk", "wb") as file:
    file.write(whole)
damaged = waymark.open("damaged.wmk")
if damaged.summary.complete:
    error = raises("damage is found", waymark.DamagedError, damaged.verify)
    check("and it has a code", error and error.code < 0)
else:
    check("damage is found", True)
    check("and it has a code", damaged.summary.cut)

# ---- blocks that cannot be read: their code is in a file that is not there ----------

os.environ["XDG_CACHE_HOME"] = os.getcwd() + "/nothing"
with waymark.open(without) as trace:
    for what, function, arguments in (("block 1", trace.block, (1,)),
                                      ("instruction 0 of block 1", trace.insn, (1, 0))):
        refusal = raises(f"{what} without its code", waymark.Error, function, *arguments)
        check("it is not said to be missing", str(refusal).startswith(f"{what} cannot be read"),
              refusal)
    raises("verify says why", waymark.Error, trace.verify)
    raises("a block that does not exist", waymark.RangeError, trace.block, 0)
    raises("nor does this one", waymark.RangeError, trace.block,
           trace.summary.known_blocks + 1)

# ---- objects that outlive the trace -----------------------------------------------

trace = waymark.open(path)
check("registers have names", trace.register_name(10) == "a0")
check("a number that is no register has no name", trace.register_name(1 << 40) is None)
stream, names = trace.streams[0], trace.names()
walk = stream.runs()
next(walk)
branches = stream.branches()
next(branches)
trace.close()
trace.close()
raises("a cursor of a closed trace", ValueError, next, walk)
raises("branches of a closed trace", ValueError, next, branches)
raises("names of a closed trace", ValueError, names.functions)
raises("a closed trace", ValueError, trace.block, 1)
del trace, stream, names, walk, branches
gc.collect()

# ---- copies --------------------------------------------------------------------------

with waymark.open(path) as trace:
    for what, thing in (("a trace", trace), ("its stream", trace.streams[0]),
                        ("its names", trace.names())):
        for how in (copy.deepcopy, pickle.dumps):
            refusal = raises(f"{how.__name__} of {what}", TypeError, how, thing)
            check("it says what to do", "its path" in str(refusal), refusal)
    raises("copy of a trace", TypeError, copy.copy, trace)
    gc.collect()
    check("the trace is still open", trace.block(1).id == 1)
    table = trace.ask("hot", rows=2)
    check("an answer can be pickled", pickle.loads(pickle.dumps(table)) == table)
    for number in (-1, 1 << 64):
        raises(f"the place of address {number}", waymark.RangeError, trace.names().place, 0,
               number)

# ---- a trace that is closed while it is used -------------------------------------------

def is_open(name):
    links = []
    for number in os.listdir("/proc/self/fd"):
        try:
            links.append(os.path.basename(os.readlink(f"/proc/self/fd/{number}")))
        except FileNotFoundError:  # that of the list itself
            pass
    return name in links


def close_it(frame, event, argument):
    """As another thread may, while the library answers."""
    if event == "call" and "row" in frame.f_code.co_varnames and not seen:
        held.close()
        seen.append(is_open("held.wmk"))


shutil.copy(path, "held.wmk")
held, seen = waymark.open("held.wmk"), []
sys.settrace(close_it)
answer = held.ask("hot", rows=3)
sys.settrace(None)
check("an answer keeps the trace until it is there", seen == [True] and
      answer.row_count == 3, seen)
check("then it is closed", not is_open("held.wmk"))
with waymark.open("held.wmk") as held:
    walks = [held.timeline(), held.streams[0].branches(), held.streams[0].steps()]
    for walk in walks:
        next(walk)
for walk in walks:
    raises("a walk of a closed trace", ValueError, next, walk)
check("walks that are over let it go", not is_open("held.wmk"))
raises("a trace without a path", TypeError, waymark.Trace)
with waymark.open(path) as trace:
    for values in (["main", "qsort"], ("main",), {"main": 1}):
        refusal = raises(f"an option with a {type(values).__name__} of values", TypeError,
                         lambda given=values: trace.ask("hot", function=given))
        check("it is named", "function" in str(refusal), refusal)
    check("an option in bytes is text", trace.ask("hot", function=b"main").row_count == 1 and
          trace.ask("hot", function=b"main") == trace.ask("hot", function="main"))

# ---- memory that is shown without a copy ---------------------------------------------

trace = waymark.open(path)
stream = trace.streams[0]
wanted = stream.block_ids(0, 8).tolist()
first = next(stream.runs()).ids  # its walk is gone
check("an array outlives its walk", first[:8].tolist() == wanted)
walk = stream.runs()
one = next(walk)
ids = one.ids
trace.close()
gc.collect()
check("and its trace", first[:8].tolist() == ids[:8].tolist() == wanted)
raises("it is read only", ValueError, ids.__setitem__, 0, 1)
raises("accesses of a closed trace", ValueError, lambda: one.accesses)
del first, one, ids, walk, stream, trace
gc.collect()
with waymark.open(path) as trace:
    runs = list(trace.streams[0].runs())
    check("there are several runs", len(runs) > 1)
    error = raises("a run that is over", ValueError, lambda: runs[0].ids)
    check("it says what to do", "copy" in str(error), error)
    raises("its accesses", ValueError, lambda: runs[0].accesses)
    kept = [run.ids.copy() for run in trace.streams[0].runs()]
    check("copies are the sequence", sum(map(len, kept)) == trace.streams[0].blocks)
    accesses = [run.accesses for run in trace.streams[0].runs()]
    check("accesses need no copy", [
        (int(row["address"]), int(row["size"])) for part in accesses for row in part[:5]] == [
        (int(row["address"]), int(row["size"])) for run in trace.streams[0].runs()
        for row in run.accesses[:5]])

# ---- threads and children -------------------------------------------------------------

with waymark.open(path) as trace:
    stream = trace.streams[0]
    walk = stream.runs()
    begun = next(walk).n
    child = os.fork()
    if not child:
        os._exit(begun + sum(run.n for run in walk) != stream.blocks)
    check("a child goes on", os.waitpid(child, 0)[1] == 0)
    check("and so does its parent", begun + sum(run.n for run in walk) == stream.blocks)
    sums = []

    def work():
        sums.append((sum(run.n for run in trace.streams[0].runs()),
                     sum(trace.ask("hot")["insns"])))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("threads", sums == [(stream.blocks, trace.summary.insns)] * 4, sums)

# ---- ranges and questions ---------------------------------------------------------

with waymark.open(path) as trace:
    stream = trace.streams[0]
    refusal = raises("no such block", waymark.RangeError, trace.block, 10**6)
    check("it is named", str(refusal) == "there is no block 1000000 in the trace", refusal)
    refusal = raises("no such instruction", waymark.RangeError, trace.insn, 1, 10**6)
    check("so is it", "no instruction 1000000 of block 1 " in str(refusal), refusal)
    for id, index in (1, 10**6), (1, -1), (10**6, 0), (2**40, 0):
        raises(f"no text of {id}, {index}", waymark.RangeError, trace.disas, id, index)
    check("no such register", trace.register_name(-1) is trace.register_name(2**64) is None)
    raises("beyond the end", waymark.RangeError, stream.block_ids, 0, stream.blocks + 1)
    raises("start beyond the end", waymark.RangeError, list, stream.runs(10**12))
    for function in (stream.block_ids, stream.steps, stream.insns_between, stream.events,
                     stream.accesses, stream.branches):
        for start, stop in ((-1, 5), (0, -1), (1 << 64, None)):
            raises(f"{function.__name__}({start}, {stop})", waymark.RangeError,
                   lambda f=function, a=start, b=stop: list(f(a, b)))
    for index in (-1, 1 << 40, stream.blocks + 1):
        refusal = raises(f"no space at block {index}", waymark.RangeError, stream.space_at, index)
        check("it says so, too", f"no block {index} " in str(refusal), refusal)
    for index in (-1, 1 << 40):
        raises(f"no block {index}", waymark.RangeError, trace.block, index)
        raises(f"no instruction {index}", waymark.RangeError, trace.insn, 1, index)
        raises(f"no space {index}", waymark.RangeError, trace.names().place, index, 0)
        raises(f"no stream {index}", waymark.RangeError, trace.counts, index)
    for text in ("hot\0", "a\0b"):
        raises(f"a question {text!r}", ValueError, trace.ask, text)
        raises(f"an option {text!r}", ValueError, trace.ask, "hot", by=text)
        raises(f"a path {text!r}", ValueError, waymark.open, path + text)
    check("an empty range", len(stream.block_ids(5, 5)) == 0)
    check("a short range", [s.block_ordinal for s in stream.steps(7, 9)] == [7, 8])
    raises("no such question", waymark.RangeError, trace.ask, "whatever")
    raises("no such option", waymark.RangeError, trace.ask, "hot", wrong=1)
    raises("no such word", waymark.RangeError, trace.ask, "hot", by="colour")
    raises("no such space", waymark.RangeError, trace.names().place, 99, 0)

    def stop(_done, _of):
        raise KeyboardInterrupt

    calls = []
    trace.ask("calls", progress=lambda done, of: calls.append((done, of)))
    check("progress is told", not calls or calls[-1][0] <= calls[-1][1], calls[-1:])
    if calls:
        try:
            trace.ask("calls", progress=stop)
            check("an exception of progress comes through", False)
        except KeyboardInterrupt:
            check("an exception of progress comes through", True)

    def interrupt(frame, event, argument):
        """Ctrl-C while the library runs: it shows before the first line of the next call."""
        if event == "call" and frame.f_back.f_code.co_name == "ask" and \
                "row" in frame.f_code.co_varnames:
            sys.settrace(None)
            raise KeyboardInterrupt

    sys.settrace(interrupt)
    try:
        trace.ask("insns")
        check("Ctrl-C ends an answer", False)
    except KeyboardInterrupt:
        check("Ctrl-C ends an answer", True)
    except waymark.Error as error:
        check("Ctrl-C ends an answer", False, error)
    finally:
        sys.settrace(None)

    table = trace.ask("hot", rows=4)
    check("a table is a mapping", list(table) == list(dict(table)) and len(table["insns"]) == 4)
    check("rows are named", next(table.rows()).insns == table["insns"][0])
    phases = trace.ask("phases", interval=1000)
    check("a column that is a keyword, too", next(phases.rows()).from_ == phases["from"][0])
    check("pandas takes it", pandas.DataFrame(table).equals(table.to_pandas()))
    for number in ((1 << 64) - 1, (1 << 53) + 1, -3):
        holes = waymark.Table()
        holes["place"] = [number, None]
        frame = holes.to_pandas()
        check(f"{number} beside a cell without a value",
              frame["place"][0] == number and list(frame["place"].isna()) == [False, True],
              frame)
    check("it prints itself", repr(table).startswith("<waymark.Table: 4 rows of insns"))
    none = trace.ask("marks")
    check("an answer without rows", none.row_count == 0 and not list(none.rows()))
    check("it has columns", list(none)[:2] == ["thread", "insn"], list(none))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check("and so has its data frame", list(none.to_pandas()) == list(none))
    check("pandas warns of nothing", not said, said)
    questions = {question.name: question for question in waymark.questions()}
    check("questions and options", "by" in questions["hot"].options and
          all(question.what and question.options for question in questions.values()))

    block = trace.block(1)
    check("a block's code", sum(block.sizes) == len(block.code) and
          block.addresses[0] == block.address)
    check("disassembly", all(trace.disas(1, i) for i in range(len(block.sizes))))
    place = trace.names().place(0, block.address, 1)
    check("a place", place.module and place.offset >= 0, place)
    names = trace.names()
    frames = names.frames(0, block.address, 1)
    check("frames", len(frames) >= 1 and not frames[-1].inlined, frames)
    names.place(0, block.address, 1)
    check("functions by number", names.functions()[0].name == place.name)
    check("modules and processes", trace.modules[0].start < trace.modules[0].end and
          trace.processes[0].status == 0)
    check("chunks add up", sum(chunk.insns for chunk in trace.chunks) ==
          trace.summary.insns)
    check("the timeline", any(event.name == "vcpu_init" for event in trace.timeline()))
    check("no schedule in user mode", not list(trace.schedule()))
    raises("no modes of a program", waymark.RangeError, list, stream.modes())
    check("it prints itself too", "instructions" in repr(trace) and "Stream 0" in repr(stream))

with waymark.open(other) as trace:
    check("several threads", len(trace.streams) > 1)
    check("each has a space", {trace.streams[i].space_at(0) for i in
                               range(len(trace.streams))} == {0})

with waymark.open(machine) as trace:
    modes = [list(stream.modes()) for stream in trace.streams]
    check("modes of a machine's threads", modes[0] == [(0, "firmware"), (2, "kernel")] and
          [mode.name for mode in modes[1]] == ["kernel", "user"] * 3 and
          modes[1][-1].block_ordinal == 7, modes)
    check("turns of harts", [(turn.stream, turn.hart) for turn in trace.schedule()] ==
          [(0, 0), (1, 0), (1, 1)], list(trace.schedule()))
sys.exit(failures > 0)
