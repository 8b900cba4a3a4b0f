# SPDX-License-Identifier: GPL-2.0-or-later
#
# skipped.py EXTENSION TRACE: which chunks of a trace a query reads. One chunk after another is
# damaged: a query fails if it decodes that chunk, and has its rows if it does not. So the chunks
# that conditions skip are proved, not timed.

import shutil
import sqlite3
import sys

import waymark

extension, path = sys.argv[1:]
failures = 0
SECTION_HEADER = 32  # bytes before its payload: FORMAT.md


def check(what, good, why=""):
    global failures
    print("ok" if good else "not ok", what)
    if not good:
        failures += 1
        print("# " + str(why)[:1000])


def attached(name):
    database = sqlite3.connect(":memory:")
    database.enable_load_extension(True)
    database.load_extension(extension)
    database.execute("SELECT waymark_open(?)", (name,))
    return database


with waymark.open(path) as trace:
    CHUNKS = list(trace.chunks)
    of_chunk = [set(trace.streams[chunk.stream].block_ids(
        chunk.first_block, chunk.first_block + chunk.blocks).tolist()) for chunk in CHUNKS]
    blocks = {block_id: trace.block(block_id) for ids in of_chunk for block_id in ids}

HERE = attached(path)


def damaged(number):
    """A copy of the trace in which a chunk's PATH, which comes first, does not decode."""
    chunk, name = CHUNKS[number], f"damaged{number}.wmk"
    shutil.copy(path, name)
    with open(name, "r+b") as file:
        file.seek(chunk.file_off + SECTION_HEADER)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 0xff]))
    return attached(name)


def with_address(least, most):
    """Chunks that executed a block with a byte in the range."""
    wanted = {block_id for block_id, block in blocks.items() if block.code and
              block.address <= most and block.address + len(block.code) > least}
    return {i for i, ids in enumerate(of_chunk) if ids & wanted}


def between(thread, first, last):
    return {i for i, chunk in enumerate(CHUNKS) if chunk.stream == thread and
            chunk.first_insn <= last and first < chunk.first_insn + chunk.insns}


middle = CHUNKS[len(CHUNKS) // 2]
rarest = min(blocks.values(), key=lambda block: (
    len(with_address(block.address, block.address)), block.address))
at, end = rarest.address, rarest.address + len(rarest.code) - 1
first, last = middle.first_insn + 10, middle.first_insn + 20
ALL = set(range(len(CHUNKS)))
# Conditions, what the plan says of them, and the chunks that have to be decoded.
QUERIES = [
    ("1", "", ALL),
    (f"thread = {middle.stream}", "thread=", {
        i for i, chunk in enumerate(CHUNKS) if chunk.stream == middle.stream}),
    (f"thread = {middle.stream} AND insn BETWEEN {first} AND {last}",
     "thread= insn>= insn<=", between(middle.stream, first, last)),
    (f"thread = {middle.stream} AND insn = {first}", "thread= insn=",
     between(middle.stream, first, first)),
    (f"address = {at}", "address=", with_address(at, at)),
    (f"address BETWEEN {at} AND {end}", "address>= address<=", with_address(at, end)),
    (f"address = {at} AND thread = {middle.stream}", "address= thread=", {
        i for i in with_address(at, at) if CHUNKS[i].stream == middle.stream}),
    ("thread < 0", "thread<", set()),
]
check(f"there are {len(CHUNKS)} chunks", len(CHUNKS) > 5)
check("the rarest block is not in all of them", len(with_address(at, at)) < len(CHUNKS))
DAMAGED = [damaged(i) for i in range(len(CHUNKS))]
for table in "insns", "blocks":
    for where, conditions, wanted in QUERIES:
        query = f"SELECT count(*), total(insn) FROM {table} WHERE {where}"
        plan = HERE.execute("EXPLAIN QUERY PLAN " + query).fetchone()[3].partition(":")[2]
        rows, read = HERE.execute(query).fetchall(), set()
        for i, database in enumerate(DAMAGED):
            try:
                if database.execute(query).fetchall() != rows:
                    check(f"{table}: {where}", False, f"other rows without chunk {i}")
            except sqlite3.OperationalError:
                read.add(i)
        check(f"{table} WHERE {where}: {len(read)} of {len(CHUNKS)} chunks",
              read == wanted and sorted(plan.split()) == sorted(conditions.split()),
              (plan, sorted(read), sorted(wanted)))
sys.exit(failures > 0)
