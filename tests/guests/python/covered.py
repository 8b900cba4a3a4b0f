# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines that run and lines that do not, branches both ways and one way."""

import sys


class Shape:
    sides = 0

    def area(self):
        raise NotImplementedError

    @property
    def name(self):
        return "shape"


class Square(Shape):
    sides = 4

    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a ** 2


def pick(n):
    if n > 2:
        return "big"
    elif n == 2:
        return "two"
    else:
        return "small"


def loop(values):
    total = 0
    for v in values:
        if v is None:
            continue
        total += v
    else:
        total += 1
    while total > 100:
        total -= 1
    return total


def tries(f):
    try:
        return f()
    except ZeroDivisionError:
        return None
    finally:
        loop([])


def never():
    x = 1
    return x


print(pick(1), pick(3), loop([1, None, 2]), tries(lambda: 1 / 0), Square(3).area())
print([v for v in range(3) if v], {k: k for k in "ab"}, [*map(lambda v: v, [1])])
with open(sys.argv[0]) as f:
    f.readline()
if len(sys.argv) > 5:
    print("many")
assert Shape().name == "shape"
