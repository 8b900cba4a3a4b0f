# SPDX-License-Identifier: GPL-2.0-or-later
#
# conditions.py EXTENSION TRACE...: whatever conditions a query has, its rows are those of the
# whole table that fulfil them. In Python's own SQLite, with the extension.

import random
import sqlite3
import sys

extension, traces = sys.argv[1], sys.argv[2:]
TABLES = {
    "blocks": ["thread", "block", "insn", "address"],
    "insns": ["thread", "block", "insn", "address"],
    "accesses": ["thread", "block", "insn", "pc"],
    "events": ["thread", "block", "insn"],
}
MOST = 60000  # rows of a table that are compared
ROUNDS = 40
failures = 0


def check(what, good, why=""):
    global failures
    print("ok" if good else "not ok", what)
    if not good:
        failures += 1
        print("# " + str(why)[:1000].replace("\n", "\n# "))


def condition(rng, name, values):
    """One about a column, with a value near one of the table's."""
    value = rng.choice(values or [0]) or 0
    value += rng.choice([0, 0, 0, 1, -1, 1 << 40, -(1 << 62)])
    kind = rng.randrange(6)
    if kind == 5:
        return f"{name} BETWEEN {value - rng.randrange(2000)} AND {value}"
    return f"{name} {['=', '<', '<=', '>', '>='][kind]} {value}"


def kept(database, table, columns):
    """A copy of the first rows of the first threads, and the condition that selects them."""
    most = database.execute(
        f"SELECT max(insn) FROM (SELECT insn FROM {table} WHERE thread = 0 LIMIT {MOST})"
    ).fetchone()[0] or 0
    names = ", ".join(columns)
    database.execute(f"CREATE TEMP TABLE copy AS SELECT {names} FROM {table} "
                     f"WHERE +insn <= {most}")
    return most


def compare(database, table, columns, rng):
    names = ", ".join(columns)
    most = kept(database, table, columns)
    values = {name: [row[0] for row in database.execute(f"SELECT {name} FROM copy")]
              for name in columns}
    for _ in range(ROUNDS):
        chosen = [condition(rng, name, values[name])
                  for name in columns if rng.random() < 0.5]
        where = " AND ".join([*chosen, f"insn <= {most}"])
        there = database.execute(f"SELECT {names} FROM {table} WHERE {where}").fetchall()
        expected = database.execute(f"SELECT {names} FROM copy WHERE {where}").fetchall()
        if there != expected:
            check(f"{table}: {where}", False, f"{len(there)} rows, not {len(expected)}")
            break
    else:
        check(f"{table}: {ROUNDS} conditions", True)
    either(database, table, columns, rng, most, values)
    joined = database.execute(
        f"SELECT count(*) FROM (SELECT * FROM copy WHERE thread = 0 LIMIT 20) c "
        f"JOIN {table} t ON t.thread = c.thread AND t.insn = c.insn").fetchone()[0]
    alone = database.execute(
        "SELECT count(*) FROM (SELECT * FROM copy WHERE thread = 0 LIMIT 20) c "
        "JOIN copy t ON t.thread = c.thread AND t.insn = c.insn").fetchone()[0]
    check(f"{table}: a join", joined == alone, (joined, alone))
    database.execute("DROP TABLE copy")


def either(database, table, columns, rng, most, values):
    """The same of "A OR B", of which SQLite goes through the rows of A and then those of B."""
    names = ", ".join(columns)
    for _ in range(ROUNDS):
        where = " OR ".join(f"({condition(rng, name, values[name])} AND insn <= {most})"
                            for name in rng.choices(columns, k=2))
        there = database.execute(f"SELECT {names} FROM {table} WHERE {where}").fetchall()
        expected = database.execute(f"SELECT {names} FROM copy WHERE {where}").fetchall()
        if sorted(there) != sorted(expected):
            check(f"{table}: {where}", False, f"{len(there)} rows, not {len(expected)}")
            return
    check(f"{table}: {ROUNDS} conditions, of which one is true", True)


rng = random.Random(7)
database = sqlite3.connect(":memory:")
database.enable_load_extension(True)
database.load_extension(extension)
for trace in traces:
    database.execute("SELECT waymark_open(?)", (trace,))
    for table, columns in TABLES.items():
        compare(database, table, columns, rng)

# Another trace while a statement goes through the first one.
running = database.execute("SELECT address FROM blocks")
first = running.fetchone()
database.execute("SELECT waymark_open(?)", (traces[0],)).fetchall()
check("a statement outlives its tables", first and running.fetchone())
running.close()

# Python keeps statements prepared by their text: they are about the trace that is open.
for trace in [traces[1], traces[0]]:
    database.execute("SELECT waymark_open(?)", (trace,)).fetchall()
    kept_prepared = database.execute("SELECT count(*) FROM blocks").fetchone()
    anew = database.execute(f"SELECT count(*) FROM blocks -- {trace}").fetchone()
    check(f"a prepared statement is about {trace}", kept_prepared == anew, (kept_prepared, anew))

# A join that runs stays with its trace, in the inner table, too.
joined = "SELECT a.address, b.address FROM blocks a, blocks b WHERE b.thread = a.thread " \
         "AND b.block = a.block + 1 LIMIT 200"
whole = database.execute(joined + " -- whole").fetchall()
running = database.execute(joined)
begun = [running.fetchone()]
database.execute("SELECT waymark_open(?)", (traces[1],)).fetchall()
check("a join stays with its trace", begun + running.fetchall() == whole)
database.execute("SELECT waymark_open(?)", (traces[0],)).fetchall()
try:
    database.execute("SELECT waymark_open('nothing.wmk')").fetchall()
    check("no such trace", False)
except sqlite3.OperationalError as error:
    check("no such trace", "nothing.wmk" in str(error), error)
check("the tables are still there",
      database.execute("SELECT count(*) FROM threads").fetchone()[0] > 0)
database.close()
sys.exit(failures > 0)
