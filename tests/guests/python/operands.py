# SPDX-License-Identifier: GPL-2.0-or-later
"""Bytecodes with all kinds of operands, in functions that all run."""
import os.path as path
from collections import (abc, deque)

TOTAL = 0


class Base:
    "What is said of it is a constant, too, and longer than is shown of it."
    kind: str = "base"

    def size(self):
        return 1


class Child(Base):
    size_of = [n * 2 for n in range(3)]

    def size(self):
        return super().size() + super().size.__call__()

    @property
    def name(self):
        return f"{self.kind!r:>10} {self.size()!s}"


def numbers(n):
    if n < 2 or n == 3:
        return 0x1234567890abcdef1234567890abcdef1234567890abcdef
    return -1.5 + 1e999 + 3j, n ** 2 // 3 % 5 - 100000 * 2 ** 70 + 300, -0.0


def texts():
    return ("it's", 'a "q"', "both ' and \"", "Zähler\n\t\x01\udc80", b"bytes\0", b"x" * 60,
            "ä" * 20, "ä" * 39, "forty bytes of text are shown of a constant, not more", "")


def constants(x):
    if x in {1, 2, "three"} or x is None or x is not ... or x not in (None, True):
        return (((((1,),),),),), ((), (1,), ("a", (2.5, b"c"))), frozenset()
    return x[1:2], x[::2, 1]


def variables(a, b, /, c=1, *rest, d=2, **more):
    e = a + b
    f, *g = rest
    del c
    try:
        c
    except NameError as error:
        e |= len(str(error)) & 7

    def inner(step):
        nonlocal e
        e += step + a
        return lambda: e + d + len(more)
    inner(b)
    inner(d)()
    return [e + n for n in g], e, f


def globals_too():
    global TOTAL
    TOTAL += abs(-3)
    deque([1]).append(TOTAL)
    print(path.join("a", "b"), abc.Sized.__name__)
    return [sorted(x)[0] if x else x.real for x in ([2, 1],)]


def generate(limit):
    for i in range(limit):
        got = yield i
        while got and i:
            i -= 1
    yield from (n for n in (1, 2) if n > 1)


class Managed:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return True

    async def __aenter__(self):
        return [1]

    async def __aexit__(self, *args):
        return False


def managed():
    with Managed() as it, Managed():
        assert it is None, "nothing"
    try:
        raise ExceptionGroup("all", [ValueError(1)])
    except* ValueError:
        pass
    return {**{"a": 1}, "b": [*(1, 2), 3]}, {1, *()}


class Pause:
    def __await__(self):
        yield


async def later():
    async with Managed() as it:
        async for n in agenerate():
            it.append(n)
    return [n async for n in agenerate()], it


async def agenerate():
    yield 1
    await Pause()
    yield 2


def run(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        return end.value


def matched(thing):
    match thing:
        case {"a": 1, **rest}:
            return rest
        case [Base(), *_] | (1, 2):
            return "list"
        case Base(kind="base"):
            return "base"


def generic[T: int, *Ts, **P](x: T) -> T:
    type Pair[U] = tuple[U, T]
    return x, Pair.__name__


print(Base().size(), Child().size(), Child().name, numbers(2), numbers(3) & 1, len(texts()))
print(constants(1), constants("abcd") if False else 0, variables(1, 2, 3, 4, 5), globals_too())
print(list(generate(3)), managed(), run(later()))
print(matched({"a": 1, "b": 2}), matched([Base()]), matched(Base()), generic(3))

# Code that no compiler made: nothing of the program's may run when it is told.
class Loud:
    def __repr__(self):
        print("never said")
        return "Loud()"

    __str__ = __hash__ = __len__ = __iter__ = __repr__


class Text(str):
    __repr__ = Loud.__repr__


class Names(tuple):
    __len__ = __iter__ = __getitem__ = Loud.__repr__


def strange():
    return "a", len


for consts in ((Loud(),) * 8, (Text("x"),) * 8, ((1, Loud()),) * 8, (frozenset([1, Text("y")]),) * 8,
               (10 ** 5000,) * 8, (deque,) * 8, ()):
    made = strange.__code__.replace(co_consts=consts, co_name="odd\n\x1b[31mname")
    made.replace(co_names=("line\nbreak", "\udc80") + ("long" * 100,) * 8)
    made.replace(co_code=b"\xc8" * 10 + made.co_code)
print("the end")
