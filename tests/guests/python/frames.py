# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames of all kinds: recursion, generators, exceptions, calls by native code."""


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def gen(n):
    for i in range(n):
        yield i * 2


class A:
    def __init__(self, x):
        self.x = x

    def area(self):
        return self.x * 3


def bad(n):
    if n == 0:
        raise ValueError(n)
    try:
        bad(n - 1)
    finally:
        n += 1


def catch(n):
    try:
        bad(n)
    except ValueError as e:
        return len(str(e))


def key(x):
    return -x


class G:
    def __getattr__(self, name):
        raise AttributeError(name)


def main():
    a = fib(12)
    b = sum(gen(10))
    c = [A(i).area() for i in range(5)]
    d = [catch(i) for i in range(4)]
    e = sorted([3, 1, 2], key=key)
    f = getattr(G(), "x", 7)
    print(a, b, c, d, e, f)


main()
