# SPDX-License-Identifier: GPL-2.0-or-later
"""The control flow of RISC-V instructions, for the decoders here: by the ISA manual alone."""


def signed(value, bits):
    """The lowest `bits` of a value as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def pick(word, *places):
    """Bits of a word put together: (from, to) moves one bit."""
    return sum((word >> source & 1) << target for source, target in places)


TRAPS = {0x00000073, 0x00100073, 0x10200073, 0x30200073, 0x00200073, 0x7B200073}


def classify(word, pc):
    """(size, kind, target): kind is linear, branch, jump, indirect or trap."""
    if word & 3 == 3:
        opcode = word & 0x7F
        if opcode == 0x63:
            places = [(31, 12), (7, 11)] + [(25 + i, 5 + i) for i in range(6)] + [
                (8 + i, 1 + i) for i in range(4)]
            return 4, "branch", pc + signed(pick(word, *places), 13)
        if opcode == 0x6F:
            places = [(31, 20), (20, 11)] + [(12 + i, 12 + i) for i in range(8)] + [
                (21 + i, 1 + i) for i in range(10)]
            return 4, "jump", pc + signed(pick(word, *places), 21)
        if opcode == 0x67:
            return 4, "indirect", None
        return 4, "trap" if word in TRAPS else "linear", None
    word &= 0xFFFF
    top, quadrant = word >> 13, word & 3
    if quadrant == 1 and top == 5:
        places = ((12, 11), (11, 4), (10, 9), (9, 8), (8, 10), (7, 6), (6, 7), (5, 3), (4, 2),
                  (3, 1), (2, 5))
        return 2, "jump", pc + signed(pick(word, *places), 12)
    if quadrant == 1 and top in (6, 7):
        places = ((12, 8), (11, 4), (10, 3), (6, 7), (5, 6), (4, 2), (3, 1), (2, 5))
        return 2, "branch", pc + signed(pick(word, *places), 9)
    if quadrant == 2 and top == 4 and not word >> 2 & 31:
        if word >> 7 & 31:
            return 2, "indirect", None
        if word >> 12 & 1:
            return 2, "trap", None
    return 2, "linear", None


LINKS = (1, 5)


def registers(word):
    """(rd, rs1) of a jump through a register or of jal; None: it is neither."""
    if word & 3 == 3:
        return {0x67: (word >> 7 & 31, word >> 15 & 31), 0x6F: (word >> 7 & 31, 0)}.get(
            word & 0x7F)
    if word & 3 == 2 and word >> 13 & 7 == 4 and not word >> 2 & 31 and word >> 7 & 31:
        return word >> 12 & 1, word >> 7 & 31
    return None


def loaded(word, pc):
    """(register, what lui or auipc puts there); None: it is neither."""
    if word & 0x7F in (0x37, 0x17):
        upper = signed(word & 0xFFFFF000, 32)
        return word >> 7 & 31, upper + (pc if word & 0x7F == 0x17 else 0)
    if word & 0xE003 == 0x6001 and word >> 7 & 31 not in (0, 2):
        return word >> 7 & 31, signed(pick(word, (12, 17), *((2 + i, 12 + i) for i in range(5))),
                                      18)
    return None


class Text:
    """The code of a program, and what ran of it, by listings of its threads."""

    def __init__(self, listings):
        self.words, self.ran, self.known = {}, [], {}
        for name in listings:
            ran = []
            with open(name) as listing:
                for line in listing:
                    _, pc, word = line.split(", ")[:3]
                    pc = int(pc, 16)
                    self.words[pc] = int(word, 16)
                    ran.append(pc)
            self.ran.append(ran)

    def at(self, pc):
        """What is at pc."""
        if pc not in self.known:
            self.known[pc] = classify(self.words[pc], pc)
        return self.known[pc]

    def calls(self, pc):
        """By the specification's classes of jumps."""
        found = registers(self.words[pc])
        return bool(found) and found[0] in LINKS and (found[1] not in LINKS or
                                                      found[1] == found[0])

    def returns(self, pc):
        found = registers(self.words[pc])
        return bool(found) and found[1] in LINKS and found[0] not in LINKS

    def follows(self, before, pc):
        """Where the jump at pc goes if what retired before it, at `before`, says so."""
        jump, load = registers(self.words[pc]), loaded(self.words[before], before)
        if self.at(pc)[1] != "indirect" or not jump or not load or jump[1] != load[0]:
            return None
        offset = signed(self.words[pc] >> 20, 12) if self.words[pc] & 3 == 3 else 0
        return (load[1] + offset) & ~1 & (1 << 64) - 1

    def compare(self, hart, path):
        """The path of a hart must be what its listing has."""
        wanted = self.ran[hart]
        for i, (want, got) in enumerate(zip(wanted, path)):
            assert want == got, f"hart {hart}, instruction {i}: {got:#x}, not {want:#x}"
        assert len(wanted) == len(path), f"hart {hart}: {len(path)}, not {len(wanted)}"
