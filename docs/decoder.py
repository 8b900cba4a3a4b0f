#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a .wmk file: FORMAT.md as a program, in its order, slow and plain.

usage: decoder.py FILE [--stream N] [--blocks | --insns | --accesses | --events | --timeline |
                                    --spaces | --schedule | --notes | --modules | --names |
                                    --sections]

Prints the sequence of all streams, or of stream N, from the first block to the last:
--blocks   the address of each block, in hexadecimal, one a line (what one does by default)
--insns    the address of each instruction, and the instruction as a number
--accesses memory: the instruction's address, load or store, address, bytes, the data if known
--events   the ordinal of the block after each event, its kind, clock, fields, and text
--timeline events of no stream: time, process, kind, fields, text
--spaces   the space of each chunk: stream, ordinal of its first block, space, its name
--schedule which hart ran what: time, hart, stream, ordinal of the first block
--notes    what guests told of their code: time, space, kind, places, data
--modules  the files that were mapped: space, addresses, offset, build id, path
--names    the names of their code, as far as they are in the trace: address, bytes, name
--sections what is in the file instead

Needs Debian's python3-zstandard and python3-xxhash.
"""
import argparse
import os
import sys

import xxhash
import zstandard

MASK = 2**64 - 1
NONE = 2**32 - 1


class Damaged(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Damaged(what)


# ---- 2. Conventions ----------------------------------------------------------


class Bytes:
    """Bytes to read, never past their end."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, n):
        check(n <= self.left(), "something is cut short")
        self.at += n
        return self.data[self.at - n:self.at]

    def int(self, bits):
        return int.from_bytes(self.take(bits // 8), "little")

    def varint(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.int(8)
            value |= (byte & 127) << shift
            if byte < 128:
                check(value <= MASK, "a varint is too large")
                return value
        raise Damaged("a varint is too long")

    def string(self):
        return self.take(self.varint()).decode(errors="replace")

    def count(self, most):
        count = self.varint()
        check(count <= min(most, self.left()), "there are too many entries")
        return count

    def varints(self, count):
        return [self.varint() for _ in range(count)]

    def packed(self, most):
        raw, stored = self.varint(), self.varint()
        check(stored <= raw <= most, "packed bytes are too long")
        data = self.take(stored)
        return data if stored == raw else unzstd(data, raw)


def unzigzag(value):
    return value // 2 if value % 2 == 0 else -(value + 1) // 2


def unzstd(data, raw):
    try:
        data = zstandard.ZstdDecompressor().decompress(data, max_output_size=raw)
    except zstandard.ZstdError as error:
        raise Damaged(str(error))
    check(len(data) == raw, "compressed bytes have the wrong length")
    return data


# ---- 3. The file -------------------------------------------------------------


SPACES = 1  # incompatible features: chunks may say which space they are in,
CODE = 2  # blocks may have their code in files,
FETCHES = 4  # loads may be an interpreter's fetches,
WAYS = 8  # paths may be of today's automaton,
STEPS = 16  # and what follows need not be fetched: no matter here


def check_header(file):
    check(file[:8] == b"\211WMK\r\n\032\n", "not a Waymark trace")
    check(len(file) >= 32 and xxhash.xxh3_64_intdigest(file[:24]) ==
          int.from_bytes(file[24:32], "little"), "the file header is damaged")
    header = Bytes(file[8:24])
    version, features = header.int(32), header.int(32)
    check(version == 1 and features & ~(SPACES | CODE | FETCHES | WAYS | STEPS) == 0, "a newer format")
    return features


class Section:  # 3.1
    def __init__(self, file, off):
        header = Bytes(file[off:off + 32])
        self.off = off
        self.type = header.take(4).decode("latin-1")
        self.flags, self.stored, self.raw = header.int(32), header.int(64), header.int(64)
        checksum = header.int(64)
        self.end = off + 32 + self.stored
        check(self.flags in (0, 1) and self.raw <= 2**26 and self.stored <= self.raw and
              (self.flags == 1 or self.stored == self.raw), "a section header is damaged")
        check(self.end <= len(file), "a section is cut short")
        stored = file[off + 32:self.end]
        seed = xxhash.xxh3_64_intdigest(file[off:off + 24])
        check(xxhash.xxh3_64_intdigest(stored, seed) == checksum, "a section is damaged")
        self.payload = unzstd(stored, self.raw) if self.flags & 1 else stored


def by_contents(file):  # 3.2
    trailer = Bytes(file[-24:])
    off, inverted = trailer.int(64), trailer.int(64)
    check(inverted == off ^ MASK and trailer.take(8) == b"WMKEND\r\n", "no trailer")
    contents = Section(file, off)
    check(contents.type == "TOCS" and contents.end == len(file) - 24, "no contents")
    entries, sections, end = Bytes(contents.payload), [], 32
    for _ in range(entries.int(64)):
        kind, _, at = entries.take(4).decode("latin-1"), entries.int(32), entries.int(64)
        sections.append(Section(file, at))
        check(at == end and kind == sections[-1].type, "the contents have a gap")
        end = sections[-1].end
    check(end == off and not entries.left(), "the contents have a gap")
    return sections


def by_walking(file):  # 3.3
    sections, off = [], 32
    try:
        while off < len(file):
            section = Section(file, off)
            off = section.end
            if section.type != "TOCS":
                sections.append(section)
    except Damaged as why:
        print(f"decoder.py: from byte {off} on: {why}", file=sys.stderr)
    return sections


def find_sections(file):
    check_header(file)
    try:
        return by_contents(file)
    except Damaged:
        return by_walking(file)


# ---- 4. Spaces and streams ---------------------------------------------------


class Spaces:
    """Names of spaces, and the space in which each stream begins."""

    def __init__(self, features):
        self.features, self.names, self.streams = features, [], []

    def add_space(self, payload):
        fields = Bytes(payload)
        index, _, parent, _ = (fields.int(bits) for bits in (32, 32, 32, 64))
        self.names.append(fields.string())
        kind, over = (fields.int(32), fields.int(32)) if fields.left() else (0, NONE)
        check(index == len(self.names) - 1 and kind <= 1 and
              all(other < index or other == NONE for other in (parent, over)) and
              (self.features & SPACES or (kind, over) == (0, NONE)), "a space is wrong")

    def add_stream(self, payload):
        fields = Bytes(payload)
        index, space = fields.int(32), fields.int(32)
        check(index <= len(self.streams) and space < len(self.names), "a stream is wrong")
        self.streams[index:index + 1] = [space]

    def of_chunk(self, chunk):
        check(chunk.stream < len(self.streams), "a chunk of no stream")
        if chunk.space is None:
            return self.streams[chunk.stream]
        check(self.features & SPACES and chunk.space < len(self.names),
              "a chunk is in no space")
        return chunk.space


# ---- 5. Blocks ---------------------------------------------------------------


def open_code(build_id, path):
    """The bytes of a file with code: the copy that the recorder kept, or the file itself."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for place in (f"{cache}/waymark/code/{build_id[:2]}/{build_id[2:]}", path):
        if os.path.isfile(place):
            with open(place, "rb") as file:
                return file.read()
    raise SystemExit(f"decoder.py: {path}, which has code of the trace, is not found")


class Files:
    """Where blocks have their code, when the section leaves it in files."""

    def __init__(self, section, count):
        self.checksum, self.hash = section.int(64), xxhash.xxh3_64()
        self.files = [(open_code(section.string(), section.string()),
                       unzigzag(section.varint())) for _ in range(section.count(2**8))]
        self.of = section.varints(count)
        check(max(self.of, default=0) <= len(self.files), "a block is in no file")

    def code_of(self, index, address, section):
        if not self.of[index]:
            return section
        file, bias = self.files[self.of[index] - 1]
        return Bytes(file[(address - bias) & MASK:][:8192])


def add_blocks(blocks, payload):
    """Appends (address, [bytes of each instruction]) of each block, or gap, to blocks."""
    section = Bytes(payload)
    first, count, rule = section.int(32), section.int(32), section.int(32)
    in_files, rule = rule & 256, rule & ~256
    check(first == len(blocks) and rule in (0, 1), "blocks do not follow each other")
    places = [unzigzag(section.varint()) for _ in range(count)]
    insns = [section.varint() for _ in range(count)]
    sizes = [list(section.take(n)) for n in insns] if rule == 0 else None
    files = Files(section, count) if in_files else None
    address = 0
    for i in range(count):
        check(insns[i] <= 512, "a block has too many instructions")
        address = (address + places[i]) & MASK
        check(insns[i] or address == 0, "a gap has an address")
        code = []
        source = files.code_of(i, address, section) if files else section
        for j in range(insns[i]):
            if rule == 0:
                size = sizes[i][j]
            else:
                check(source.left(), "code is cut short")
                size = 4 if source.data[source.at] & 3 == 3 else 2
            check(size <= 16, "an instruction has a wrong size")
            code.append(source.take(size))
        blocks.append((address, code))
        address += sum(map(len, code))
        if files:
            files.hash.update(b"".join(code))
    check(not section.left(), "there is too much code")
    check(not files or files.hash.intdigest() == files.checksum, "a file has other code")


# ---- 4., 5.3 Files that were mapped, and their names -------------------------


class Module:  # 4
    def __init__(self, payload):
        fields = Bytes(payload)
        self.space = fields.int(32)
        self.start, self.end, self.file_off = (fields.int(64) for _ in range(3))
        self.path, self.known, self.seen, self.build_id = fields.string(), 0, 0, ""
        if fields.left():
            self.known, self.seen = fields.int(32), fields.int(64)
            self.build_id = fields.string()


class Names:  # 5.3
    def __init__(self, payload):
        fields = Bytes(payload)
        self.build_id, self.path = fields.string(), fields.string()
        self.read(Bytes(fields.packed(2**26)))
        self.rest = fields

    def read(self, table):
        segments = table.varint()
        check(segments <= 2**12, "there are too many segments")
        self.segments = [[table.varint() for _ in range(4)] for _ in range(segments)]
        count = table.varint()
        check(count <= min(2**22, table.left()), "there are too many names")
        starts = [table.varint() for _ in range(count)]
        check(all(starts[1:]), "two names start at one address")
        for i in range(1, count):
            starts[i] += starts[i - 1]
        ends = [start + table.varint() for start in starts]
        check(max(ends, default=0) <= MASK, "a name reaches beyond all addresses")
        names = table.take(table.left()).split(b"\0")
        check(len(names) == count + 1 and not names[-1], "the names are not so many")
        self.names = [(starts[i], ends[i] - starts[i], names[i].decode(errors="replace"))
                      for i in range(count)]


class Code(Names):  # 5.4
    def __init__(self, payload):
        super().__init__(payload)
        places = Bytes(self.rest.packed(2**26))
        self.complete = places.varint() != 0
        self.texts = []
        for _ in range(places.count(2**20)):
            text = bytearray()
            while byte := places.int(8):
                text.append(byte)
            self.texts.append(text.decode(errors="replace"))
        count = places.count(2**22)
        gaps = places.varints(count)
        sizes, sources, numbers = (places.varints(count) for _ in range(3))
        at = number = 0
        self.lines = []
        for gap, size, source, step in zip(gaps, sizes, sources, numbers):
            at, number = at + gap, number + unzigzag(step)
            check(source < len(self.texts) and 0 <= number < 2**32, "a line is malformed")
            self.lines.append((at, size, self.texts[source], number))
            at += size
        count = places.count(2**20)
        starts, sizes, names, sources, numbers = (places.varints(count) for _ in range(5))
        at = 0
        self.calls = []
        for step, size, name, source, number in zip(starts, sizes, names, sources, numbers):
            at += unzigzag(step)
            check(name < len(self.texts) and source <= len(self.texts), "a call is malformed")
            self.calls.append((at, size, self.texts[name],
                               self.texts[source - 1] if source else "-", number))
        check(not places.left(), "something follows the inlined calls")


# ---- 6. Chunks ---------------------------------------------------------------


class Chunk:
    def __init__(self, payload):
        head = Bytes(payload)
        self.stream, self.blocks = head.int(32), head.int(32)
        self.insns, self.first_block, self.first_insn = (head.int(64) for _ in range(3))
        self.begin, self.end, self.path_off = (head.int(64) for _ in range(3))
        self.highest, self.known, self.counted = (head.int(32) for _ in range(3))
        check(self.blocks <= 2**24 and self.known < 2**29 and
              self.counted <= min(self.known, self.blocks), "a chunk's head is wrong")
        pairs = Bytes(head.packed(10 * self.counted))
        ids = [pairs.varint() for _ in range(self.counted)]
        for i in range(1, self.counted):
            ids[i] += ids[i - 1]
        self.counts = {id: pairs.varint() for id in ids}
        self.lost = self.path_off == 0
        check(len(self.counts) == self.counted and not pairs.left() and
              (sum(self.counts.values()) == self.blocks or self.lost and not self.counts),
              "a chunk's histogram is wrong")
        self.partials = {}  # position: (id, instructions that began)
        partials = Bytes(head.packed(2**24) if head.left() else b"")
        position = -1
        while partials.left():
            position += 1 + partials.varint()
            id, insns, uncertain = (partials.varint() for _ in range(3))
            check(position < self.blocks and 1 <= id <= self.known and
                  1 <= insns < 2**16 and uncertain <= insns, "a partial block is wrong")
            self.partials[position] = id, insns
        self.space = head.varint() if head.left() else None
        check(not head.left(), "a chunk is too long")


FIELDS = {1: 7, 2: 2, 3: 5, 4: 2, 5: 3, 6: 2, 7: 2, 8: 2, 9: 3,  # 6.3, 6.4: how many each
          10: 6, 11: 2, 12: 2, 13: 1, 17: 2}  # kind of event has


def get_events(data):
    """(position, kind, ns, fields, text) of each event of a chunk."""
    data, events, position, ns = Bytes(data), [], 0, 0
    while data.left():
        position, kind = position + data.varint(), data.varint()
        event = Bytes(data.take(data.varint()))
        ns += event.varint()
        fields = [event.varint() for _ in range(FIELDS.get(kind, 0))]
        events.append((position, kind, ns, fields, event.take(event.left())))
    return events


def get_clock_events(payload):  # 6.4
    """(ns, process, kind, fields, text) of each event; a process of -1 is none."""
    data, events, ns = Bytes(payload), [], 0
    while data.left():
        ns = (ns + unzigzag(data.varint())) % 2**64
        process, kind = data.varint(), data.varint()
        check(process < 2**32 and kind < 2**32, "an event is wrong")
        event = Bytes(data.take(data.varint()))
        fields = [event.varint() for _ in range(FIELDS.get(kind, 0))]
        events.append((ns, process - 1, kind, fields, event.take(event.left())))
    return events


def get_turns(payload):  # 6.5
    """(ns, hart, stream, block) of each turn."""
    data, turns, ns = Bytes(payload), [], 0
    while data.left():
        ns = (ns + unzigzag(data.varint())) % 2**64
        turns.append((ns, data.varint(), data.varint(), data.varint()))
        check(max(turns[-1][1:3]) < 2**32, "a turn is wrong")
    return turns


def get_notes(payload):  # 6.6
    """(ns, space, kind, places, data) of each note; a place is (stream, block)."""
    data, notes, ns = Bytes(payload), [], 0
    while data.left():
        ns = (ns + unzigzag(data.varint())) % 2**64
        space, kind = data.varint(), data.varint()
        places = [(data.varint(), data.varint()) for _ in range(data.varint())]
        notes.append((ns, space, kind, places, data.take(data.varint())))
        check(space < 2**32 and kind < 2**32, "a note is wrong")
    return notes


def retrace(chunk, payload, blocks):
    """The blocks of a chunk, as (id, instructions that began), and its events, held
    against what the chunk says of them."""
    path = Bytes(payload)
    codes, longs, escapes = (path.packed(n * 2**20) for n in (1, 4, 5))
    events = get_events(path.packed(2**24))
    learned = Old(chunk)
    if path.left():
        check(path.varint() == 2, "an automaton that is not known")
        learned = Ways(chunk)
    check(not path.left(), "a path is too long")
    ids = automaton(chunk, learned, codes, Bytes(longs), Bytes(escapes))
    counts = {}
    for id in ids:
        counts[id] = counts.get(id, 0) + 1
    check(counts == chunk.counts, "a chunk does not have the blocks it counts")
    began = [(id, len(blocks[id][1])) for id in ids]
    for position, (id, insns) in chunk.partials.items():
        check(began[position][0] == id and insns <= began[position][1],
              "a partial block is not what ran")
        began[position] = id, insns
    check(sum(insns for _, insns in began) == chunk.insns,
          "a chunk does not have the instructions it says")
    check(all(event[0] <= chunk.blocks for event in events), "an event is too late")
    return began, events


# ---- 7. The automaton --------------------------------------------------------

M = (0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb,
     0xd6e8feb86659fd93, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53)


def pairs_of(ids, end, pairs):  # 7.3
    """The pairs of ids that end before index `end`, the last pair first."""
    return [ids[end - 1 - 2 * k] << 32 | ids[end - 2 - 2 * k] for k in range(pairs)]


def without(ways, predicted):
    """The ways to choose among when an id was predicted."""
    return [way for way in ways if way[0] != predicted]


def to_front(ways, id, position):
    return [(id, position)] + [way for way in ways if way[0] != id][:3]


class Ways:
    """What the automaton learns at misses."""

    def __init__(self, chunk):  # 7.1
        self.context, self.after, self.seen = {}, {}, {}
        self.highest = chunk.highest

    def miss(self, ids, predicted, rank, escapes):  # 7.2
        """The id at a miss, whether its place is a fork, and the new source."""
        before, position = ids[-1], len(ids)
        total = sum(pair * M[4 - k] for k, pair in enumerate(pairs_of(ids, position, 5)))
        slot = (total & MASK) >> 49
        ways, after = self.context.get(slot, []), self.after.get(before, [])
        if rank < 3:
            left = without(ways, predicted)
            check(rank < len(left), "no such rank")
            id, source = left[rank]
            self.context[slot] = to_front(ways, id, position + 1)
            return id, True, source
        value = escapes.varint()
        if 1 <= value <= 4:
            left = without(after, predicted)
            check(value <= len(left), "no such way")
            id = left[value - 1][0]
        else:
            id = before + unzigzag(value - 5) if value else self.highest + 1
        source = dict(after).get(id) or self.seen.get(id, 0)
        self.highest = max(self.highest, id)
        self.after[before] = to_front(after, id, position + 1)
        self.context[slot] = to_front(ways, id, position + 1)
        self.seen[id] = position + 1
        return id, bool(after), source


class Old:
    """The same of files without the feature WAYS: 7.5."""

    def __init__(self, chunk):
        self.latest, self.seen, self.near, self.far = {}, {}, {}, {}
        self.highest = chunk.highest

    def miss(self, ids, predicted, rank, escapes):
        before, position = ids[-1], len(ids)
        ranked = self.latest.get(before, [])
        if rank < 3:
            left = [id for id in ranked if id != predicted]
            check(rank < len(left), "no such rank")
            id = left[rank]
        else:
            value = escapes.varint()
            id = before + unzigzag(value - 1) if value else self.highest + 1
        self.latest[before] = ([id] + [other for other in ranked if other != id])[:3]
        self.highest = max(self.highest, id)
        n, f = (self.slot(ids[-11:] + [id], pairs) for pairs in (2, 6))
        source = self.far.get(f) or self.near.get(n) or self.seen.get(id, 0)
        self.far[f] = self.near[n] = self.seen[id] = position + 1
        return id, bool(ranked), source

    @staticmethod
    def slot(ids, pairs):
        total = sum(pair * M[k] for k, pair in enumerate(pairs_of(ids, len(ids), pairs)))
        total &= MASK
        return ((total ^ total >> 32) * M[0] & MASK) >> 46


def automaton(chunk, learned, codes, longs, escapes):
    ids, forks = [0] * 16, [True] + [False] * 15  # 7.1
    source, end = 0, 16 + chunk.blocks

    for code in codes:  # 7.2: the run
        check(code < 248, "no such code")
        rank = code & 3
        number = code >> 2 if code < 240 else longs.varint()
        length = number if code >= 244 else None
        passes = number + 60 if code >= 240 else number
        while length != 0 if code >= 244 else passes > 0 or not forks[source]:
            check(source and len(ids) < end - 1, "a run is too long")
            if code >= 244:
                length -= 1
            else:
                passes -= forks[source]
            ids.append(ids[source])
            forks.append(forks[source])
            source += 1

        check(len(ids) < end, "there is no room for a miss")  # the miss
        id, fork, found = learned.miss(ids, ids[source], rank, escapes)
        check(1 <= id <= chunk.known, "an unknown block")
        ids.append(id)
        forks.append(fork)
        forks[source] = forks[source] or fork
        source = found

    while len(ids) < end:
        check(source, "a run from nowhere")
        ids.append(ids[source])
        source += 1
    check(not longs.left() and not escapes.left(), "something is left over")
    return ids[16:]


# ---- 8. Values ---------------------------------------------------------------

FORGET, SET, ADD, SUM, LOAD, STORE = range(6)
MEMORY, REGISTERS, FIRST = 4, (2, 3, 5), (2, 4, 5)  # kinds of firings


class Programs:  # 8.1
    """What each block does to memory and registers: a list of operations, by id."""

    def __init__(self, features):
        self.of, self.wanted, self.width = [None], None, None
        self.known = 63 if features & FETCHES else 31

    def add(self, payload, blocks):
        site = Bytes(payload)
        first, count, wanted, width = (site.int(32) for _ in range(4))
        check(first == len(self.of) and first + count <= len(blocks) and
              width in (32, 64) and wanted <= self.known and
              self.width in (None, width) and self.wanted in (None, wanted),
              "programs do not follow each other")
        self.wanted, self.width, self.mask = wanted, width, 2**width - 1
        for length in [site.varint() for _ in range(count)]:
            insns = len(blocks[len(self.of)][1])
            self.of.append(program(Bytes(site.take(length)), insns))
        check(not site.left(), "there are too many programs")


def program(data, insns):
    """(what, instruction, in the lane, d, s, t, size, number) of each operation."""
    ops, insn, known = [], 0, {0}
    while data.left():
        head = data.int(8)
        what, lane, step = head & 7, head >> 3 & 1, head >> 4
        insn += step if step < 15 else 15 + data.varint()
        d = s = t = 32
        size = 0
        if what == FORGET:
            number = data.varint()
            check(number < 2**32 and number % 2 == 0, "a mask is wrong")
            known -= {register for register in range(32) if number >> register & 1}
        else:
            d = data.int(8)
            s = data.int(8) if what != SET else 32
            t = data.int(8) if what == SUM else 32
            size = data.int(8) if what in (LOAD, STORE) else 0
            number = unzigzag(data.varint()) if what != SUM else 0
        if what == STORE:
            d, t = 32, d
        access = what in (LOAD, STORE)
        check(what < 6 and insn < insns and (access or not lane) and
              (what in (FORGET, STORE) or 1 <= d < (33 if what == LOAD else 32)) and
              (what in (FORGET, SET) or s < 32) and (what != SUM or t < 32) and
              t < 33 and size & 7 < 5 and size < (16 if what == LOAD else 8) and
              (not access or lane or s in known), "an operation is wrong")
        if what in (SET, ADD, SUM):
            follows = what == SET or s in known and (what == ADD or t in known)
            known = known | {d} if follows else known - {d}
        if access:
            known = (known | {s}) - {d}
        ops.append((what, insn, lane, d, s, t, size, number))
    return ops


class Fetch:  # 8.5
    """What is known of a word of a block that is a fetch."""

    def __init__(self):
        self.trust = self.role = self.back = self.depth = self.latest_depth = 0
        self.step = self.latest = 0


class Values:  # 8.2
    def __init__(self, payload, programs):
        data = Bytes(payload)
        self.programs = programs
        self.path_off, self.words = data.int(64), data.int(64)
        strings = [Bytes(data.packed(2**25)) for _ in range(5)]
        patterns, self.changes, self.shorts, self.runs, self.misses = strings
        check(not data.left() and self.words <= 2**32, "values are wrong")
        self.patterns = [[]]
        while patterns.left():
            pattern, insn = [], 0
            for _ in range(patterns.varint()):
                insn += patterns.varint()
                kind, size, what = patterns.int(8), patterns.int(8), patterns.varint()
                check(kind < 6 and size < (2 if kind in REGISTERS else 5) and what < 2**32,
                      "a firing is wrong")
                pattern.append((insn, kind, size, what))
            self.patterns.append(pattern)
        self.position, self.pattern, self.entries, self.fetches = 0, {}, {}, {}
        self.change, self.short = self.next_of(self.changes), self.next_of(self.shorts)
        self.run = self.runs.varint() if self.runs.left() else None
        self.registers, self.loaded, self.before = {0: 0}, {}, 0
        self.cells = [0] * 2**15
        self.calls, self.top = [0] * 64, 0

    def next_of(self, string):
        return self.position + string.varint() if string.left() else None

    def memory(self, address):  # 8.4
        """The cell of an address."""
        address >>= 3 if self.programs.width == 64 else 2
        return (address ^ address >> 15) % 2**15

    def context(self):
        """The cell of the next word and the word before."""
        site = 8 * self.id + self.number
        mixed = self.before * 0x9e3779b97f4a7c15 + site * 0xd1b54a32d192ed03
        return (mixed & MASK) >> 49

    def word(self, guess=None, source=None, n=0):  # 8.4
        """
        One word: `guess` if a register is known; else n from what was loaded from address
        `source`; else what the entry and the word before say.
        """
        entry = self.entries.setdefault((self.id, self.number), [None, 0, 0, 0])
        last, stride, latest, trust = entry
        own = self.before if last is None else last + stride & MASK
        cell = other = None
        start, foretold = last or 0, guess is not None
        if foretold:
            start = guess
        elif source is not None:
            cell = self.memory(source)
            guess = self.cells[cell] + n & self.programs.mask if self.cells[cell] else own
        elif trust == 3:
            guess = own
        else:
            cell = self.context()
            other = self.cells[cell]
            guess = other if trust < 0 else own
        self.number += 1
        self.before = value = self.next_word(guess, start)
        if foretold:
            return value
        if cell is None:
            trust -= value != own
        elif other is not None:
            trust += (value == own) - (value == other)
            self.cells[cell] = value
        else:
            self.cells[cell] = value - n & self.programs.mask
        step = 0 if last is None else (value - last + 2**31) % 2**32 - 2**31
        entry[:] = (value, step if step == latest else stride, step,
                    min(max(trust, -4), 3))
        return value

    def load_word(self):  # 8.5
        """The address of a load that no register foretells."""
        if not self.programs.wanted & 32:
            return self.word()
        entry = self.fetches.setdefault((self.id, self.number), Fetch())
        before, calls, top, cell = self.before, self.calls, self.top, None
        own = other = guess = before + entry.step & MASK
        if entry.role > 0:
            guess = calls[(top - entry.depth) % 64] + entry.back & MASK
        elif entry.trust < 3:
            cell = self.context()
            other = self.cells[cell] or own
            guess = other if entry.trust < 0 else own
        self.number += 1
        self.before = value = self.next_word(guess, before)
        if cell is not None:
            entry.trust = min(max(entry.trust + (value == own) - (value == other), -4), 3)
            self.cells[cell] = value
        elif entry.role <= 0:
            entry.trust -= value != own
        near, depth = (value - before + 256 & MASK) <= 512, None
        if entry.role > 0 and value == guess:
            depth = entry.depth
        elif entry.role > 0 or not near:
            above = [value - calls[(top - i) % 64] & MASK for i in range(8)]
            right = [i for i in range(8) if (
                above[i] == entry.back if entry.role > 0 else 1 <= above[i] <= 8)]
            depth = right[0] if right else None
        if depth is not None:
            entry.back = value - calls[(top - depth) % 64] & MASK
            if depth == entry.latest_depth:
                entry.depth = depth
            entry.latest_depth = depth
            self.top -= depth + 1
            entry.role = min(entry.role + 1, 3)
            return value
        if not near or entry.role < -1:
            self.top += 1
            calls[self.top % 64] = before
        if not near:
            entry.role = max(entry.role - 1, -3)
            return value
        entry.role -= (entry.role > 0) - (entry.role < 0)
        step = (value - before + 256 & MASK) - 256
        if step == entry.latest or not entry.step:
            entry.step = step
        entry.latest = step
        return value

    def next_word(self, guess, start):
        check(self.words, "there are too few words")
        self.words -= 1
        if self.run == 0:
            guess = start + unzigzag(self.misses.varint()) & MASK
            self.run = self.runs.varint() if self.runs.left() else None
        elif self.run is not None:
            self.run -= 1
        return guess

    def data(self, size, guess=None):
        return [self.word(guess)] + ([self.word()] if size == 4 else [])

    def operate(self, op):  # 8.3
        """What the access is, if it is one: (instruction, kind, address, bytes, data)."""
        what, insn, lane, d, s, t, size, number = op
        registers, loaded, data = self.registers, self.loaded, None
        base, other, source = registers.get(s), registers.get(t), None
        if what < LOAD:
            if what == FORGET:
                for register in range(32):
                    if number >> register & 1:
                        registers.pop(register, None)
                        loaded.pop(register, None)
                return None
            value = {SET: number,
                     ADD: None if base is None else base + number,
                     SUM: None if None in (base, other) else base + (other or 0)}[what]
            if what == ADD and number == 0:
                source = loaded.get(s)
        else:
            address = None if base is None else base + number & self.programs.mask
            if lane:
                if what == LOAD and s not in registers and s not in loaded:
                    address = self.load_word()
                else:
                    address = self.word(address, loaded.get(s), number)
                if s:
                    registers[s] = address - number & self.programs.mask
                    loaded.pop(s, None)
            bits = 8 << (size & 7)
            if self.programs.wanted & 4:
                guess = None
                if what == STORE and t in registers:
                    guess = registers[t] & 2**min(bits, 64) - 1
                data = self.data(size & 7, guess)
            elif bits == self.programs.width:
                source = address
                if what == STORE and (t in registers or t in loaded):
                    self.cells[self.memory(address)] = (
                        registers[t] if t in registers else
                        self.cells[self.memory(loaded[t])])
            value = data and data[0] % 2**min(bits, 64)
            if value and size & 8 and value >> min(bits, 64) - 1:
                value -= 2**min(bits, 64)
        if what != STORE and d < 32:
            registers.pop(d, None)
            loaded.pop(d, None)
            if value is not None:
                registers[d] = value & self.programs.mask
            elif source is not None:
                loaded[d] = source
        return (insn, what - LOAD, address, 1 << (size & 7), data) if what >= LOAD else None

    def fire(self, firing):
        insn, kind, size, what = firing
        if kind in REGISTERS:
            return insn, kind, what & 0xffff, 8 << size, [
                self.word() for _ in range(size + 1)]
        address = self.word() if kind else self.load_word()
        return insn, kind, address, 1 << size, (
            self.data(size) if kind == MEMORY or self.programs.wanted & 4 else None)

    def block(self, id):
        """The accesses of the chunk's next block."""
        check(id < len(self.programs.of), "a block has no program")
        self.id, self.number, left = id, 0, None
        if self.change == self.position:
            self.pattern[id] = self.changes.varint()
            check(self.pattern[id] < len(self.patterns), "no such pattern")
            self.change = self.next_of(self.changes)
        if self.short == self.position:
            left = self.shorts.varint()
            self.short = self.next_of(self.shorts)
        firings = list(self.patterns[self.pattern.get(id, 0)])
        accesses = []
        for op in self.programs.of[id]:
            while firings and (firings[0][0], firings[0][1] not in FIRST) < (op[1], True):
                accesses.append(self.fire(firings.pop(0)))
            if op[0] >= LOAD and left == 0:
                break
            if op[0] >= LOAD and left:
                left -= 1
            accesses.append(self.operate(op))
        accesses += [self.fire(firing) for firing in firings]
        self.position += 1
        return [access for access in accesses if access]

    def end(self):
        check(not self.words and self.run is None and self.change is None and
              self.short is None and not self.misses.left(), "values are left over")


def walk_accesses(file, wanted):
    """Yields (stream, lines) of each chunk that has values."""
    blocks, programs, values = [None], Programs(check_header(file)), None
    for section in find_sections(file):
        if section.type == "BLKS":
            add_blocks(blocks, section.payload)
        if section.type == "SITE":
            programs.add(section.payload, blocks)
        if section.type == "VALS":
            values = Values(section.payload, programs)
        if section.type == "CHNK":
            chunk, mine = Chunk(section.payload), values
            values = None
            if not mine or mine.path_off != chunk.path_off or \
                    wanted not in (None, chunk.stream):
                continue
            began, _ = retrace(chunk, Section(file, chunk.path_off).payload, blocks)
            yield chunk.stream, [line for id, _ in began
                                 for line in access_lines(blocks[id], mine.block(id))]
            mine.end()


def access_lines(block, accesses):
    address, code = block
    for insn, kind, where, size, data in accesses:
        pc = address + sum(map(len, code[:insn]))
        what = ("load", "store", "register", "written", "memory", "returned")[kind]
        value = sum(word << 64 * i for i, word in enumerate(data or ()))
        value = f" 0x{value:0{2 * size}x}" if data else ""
        yield f"{pc:#x} {what} {where:#x} {size}{value}"


# ---- what is asked for -------------------------------------------------------


def walk(file, wanted):
    """Yields (stream, first block's ordinal, blocks, events) of each chunk; a block is
    (address, the code of the instructions that began)."""
    blocks, ended = [None], set()
    for section in find_sections(file):
        if section.type == "BLKS":
            add_blocks(blocks, section.payload)
        if section.type == "CHNK":
            chunk = Chunk(section.payload)
            if chunk.lost:
                print(f"decoder.py: stream {chunk.stream} is lost from block "
                      f"{chunk.first_block} on", file=sys.stderr)
                ended.add(chunk.stream)
            if wanted in (None, chunk.stream) and chunk.stream not in ended:
                path = Section(file, chunk.path_off)
                check(path.type == "PATH" and path.off < section.off and
                      chunk.known < len(blocks), "a chunk refers to what is not there")
                began, events = retrace(chunk, path.payload, blocks)
                ran = [(blocks[id][0], blocks[id][1][:insns]) for id, insns in began]
                yield chunk.stream, chunk.first_block, ran, events


def lines_of(first, ran, events, options):
    if options.events:
        for position, kind, ns, fields, text in events:
            yield f"{first + position} {kind} {ns} {fields} {text!r}"
        return
    for address, code in ran:
        if not code:  # 5: a gap
            continue
        if not options.insns:
            yield f"{address:x}"
            continue
        for insn in code:
            yield f"{address:x} {insn[::-1].hex()}"
            address += len(insn)


def main():
    parser = argparse.ArgumentParser(description="Reference decoder of .wmk files.")
    parser.add_argument("file")
    parser.add_argument("--stream", type=int)
    what = parser.add_mutually_exclusive_group()
    for option in ("--blocks", "--insns", "--accesses", "--events", "--modules", "--names",
                   "--timeline", "--spaces", "--schedule", "--notes", "--sections"):
        what.add_argument(option, action="store_true")
    options = parser.parse_args()
    with open(options.file, "rb") as opened:
        file = opened.read()

    if options.sections:
        for section in find_sections(file):
            print(section.off, section.type, section.stored, section.raw)
        return
    if options.modules:
        for section in find_sections(file):
            if section.type == "MODU":
                module = Module(section.payload)
                print(module.space, f"{module.start:#x} {module.end:#x}", module.file_off,
                      module.known, module.build_id or "-", module.path)
        return
    if options.names:
        for section in find_sections(file):
            if section.type in ("SYMS", "CODE"):
                code = section.type == "CODE"
                names = (Code if code else Names)(section.payload)
                print(names.build_id or "-", names.path)
                for start, size, name in names.names:
                    print(f"  {start:#x} {size} {name}")
                for start, size, source, number in names.lines if code else ():
                    print(f"  {start:#x} {size} {source}:{number}")
                for start, size, name, source, number in names.calls if code else ():
                    print(f"  {start:#x} {size} {name} from {source}:{number}")
        return
    if options.timeline:
        events = [event for section in find_sections(file) if section.type == "EVNT"
                  for event in get_clock_events(section.payload)]
        for ns, process, kind, fields, text in sorted(events, key=lambda event: event[0]):
            print(ns, process, kind, *fields, repr(text.decode(errors="replace")))
        return
    if options.schedule:
        for section in find_sections(file):
            if section.type == "SCHD":
                for turn in get_turns(section.payload):
                    print(*turn)
        return
    if options.notes:
        for section in find_sections(file):
            if section.type == "NOTE":
                for ns, space, kind, places, data in get_notes(section.payload):
                    print(ns, space, kind, places, data.hex())
        return
    if options.spaces:
        spaces = Spaces(check_header(file))
        for section in find_sections(file):
            if section.type == "PROC":
                spaces.add_space(section.payload)
            if section.type == "STRM":
                spaces.add_stream(section.payload)
            if section.type == "CHNK":
                chunk = Chunk(section.payload)
                space = spaces.of_chunk(chunk)
                print(chunk.stream, chunk.first_block, space, spaces.names[space])
        return
    streams = {}
    if options.accesses:
        for stream, lines in walk_accesses(file, options.stream):
            streams.setdefault(stream, []).extend(lines)
        for stream in sorted(streams):
            print("\n".join(streams[stream]))
        return
    for stream, first, ran, events in walk(file, options.stream):
        streams.setdefault(stream, []).extend(lines_of(first, ran, events, options))
    for stream in sorted(streams):
        print("\n".join(streams[stream]))


if __name__ == "__main__":
    try:
        main()
    except Damaged as why:
        sys.exit(f"decoder.py: {why}")
