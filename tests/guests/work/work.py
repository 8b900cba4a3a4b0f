# SPDX-License-Identifier: GPL-2.0-or-later
"""A mixed CPython load: dicts, classes, json, re, formatting, sorting, generators."""

import json
import re
import sys
from collections import Counter, deque


class Node:
    """A binary search tree, unbalanced on purpose."""

    __slots__ = ("key", "left", "right")

    def __init__(self, key):
        self.key = key
        self.left = self.right = None

    def insert(self, key):
        node = self
        while key != node.key:
            side = "left" if key < node.key else "right"
            child = getattr(node, side)
            if child is None:
                setattr(node, side, Node(key))
                return
            node = child

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.key
        if self.right:
            yield from self.right


class Random:
    def __init__(self, seed):
        self.state = seed

    def __call__(self, limit):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return (self.state >> 8) % limit


TOKEN = re.compile(r"\s*(?:(?P<num>\d+)|(?P<op>[-+*()]))")


def evaluate(text):
    """Recursive descent over + - * and parentheses."""
    tokens = deque((m["num"], m["op"]) for m in TOKEN.finditer(text))

    def factor():
        num, op = tokens.popleft()
        if num:
            return int(num)
        if op == "-":
            return -factor()
        value = expr()
        tokens.popleft()
        return value

    def term():
        value = factor()
        while tokens and tokens[0][1] == "*":
            tokens.popleft()
            value *= factor()
        return value

    def expr():
        value = term()
        while tokens and tokens[0][1] in ("+", "-"):
            sign = 1 if tokens.popleft()[1] == "+" else -1
            value += sign * term()
        return value

    return expr()


def shortest(width, height, walls):
    """Breadth first search over a grid."""
    todo, seen = deque([(0, 0, 0)]), {(0, 0)}
    while todo:
        x, y, steps = todo.popleft()
        if (x, y) == (width - 1, height - 1):
            return steps
        for nx, ny in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)):
            if 0 <= nx < width and 0 <= ny < height:
                if (nx, ny) not in seen and (nx, ny) not in walls:
                    seen.add((nx, ny))
                    todo.append((nx, ny, steps + 1))
    return None


def one_round(number):
    random = Random(number)
    tree = Node(500)
    for _ in range(120):
        tree.insert(random(1000))
    people = [
        {"name": f"p{random(999):03d}", "age": random(90), "tags": ["x" * random(4)] * 2}
        for _ in range(60)
    ]
    people.sort(key=lambda p: (p["age"], p["name"]))
    text = json.dumps(people, indent=1, sort_keys=True)
    again = json.loads(text)
    ages = Counter(p["age"] // 10 for p in again)
    names = " ".join(p["name"] for p in again)
    names = re.sub(r"p(\d)(\d)", lambda m: m[2] + m[1], names)
    factors = (f"({random(9)} - {random(5)})" for _ in range(9))
    source = "(1 + 2) * -3 + " + " * ".join(factors)
    walls = {(random(14), random(14)) for _ in range(40)} - {(0, 0), (13, 13)}
    try:
        {}["missing"]
    except KeyError as error:
        missed = str(error)
    return (
        f"{number}: {again == people} {len(text)} {sorted(ages.items())[:3]} {sum(tree)} "
        f"{sum(map(ord, names))} {evaluate(source)} {shortest(14, 14, walls)} {missed} "
        f"{2 ** (number + 200) % 1000003:>8,} {number / 7:.6e}"
    )


for i in range(int(sys.argv[1])):
    print(one_round(i))
