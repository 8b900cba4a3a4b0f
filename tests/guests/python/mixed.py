# SPDX-License-Identifier: GPL-2.0-or-later
"""What an interpreter does besides a straight line, in a few thousand bytecodes."""
import asyncio
import threading


class Shape:
    count = 0

    def __init__(self, sides):
        self.sides = sides
        Shape.count += 1

    @property
    def name(self):
        return {3: "triangle", 4: "square"}.get(self.sides, "other")

    def __getattr__(self, name):
        if name == "colour":
            return "red"
        raise AttributeError(name)

    def __lt__(self, other):
        return self.sides < other.sides


def countdown(n):
    while n:
        got = yield n
        n -= got or 1


def delegate(n):
    total = yield from countdown(n)
    return total


def risky(depth):
    try:
        if depth == 0:
            raise ValueError("deep")
        return risky(depth - 1)
    except KeyError:
        return -1
    finally:
        Shape.count += 1


def strings(n):
    text = ""
    for i in range(n):
        text += str(i)
    out = []
    for c in text:
        out.append(c)
    return len(out)


def matching(value):
    match value:
        case [a, b]:
            return a + b
        case {"x": x}:
            return x
        case Shape(sides=3):
            return 3
        case _:
            return None


async def tick(n):
    await asyncio.sleep(0)
    return n


async def gather():
    async def numbers():
        for i in range(3):
            await asyncio.sleep(0)
            yield i

    total = sum(await asyncio.gather(*(tick(i) for i in range(5))))
    async for i in numbers():
        total += i
    return total


def worker(results, number):
    shapes = sorted((Shape(n % 5) for n in range(20 + number)), key=lambda s: -s.sides)
    names = [s.name for s in shapes if s.sides > 1]
    results[number] = len(names), hasattr(shapes[0], "nothing"), shapes[0].colour
    for _ in delegate(4):
        pass
    generator = countdown(9)
    next(generator)
    generator.send(3)
    generator.close()


def main():
    results = {}
    threads = [threading.Thread(target=worker, args=(results, n)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        risky(6)
    except ValueError as error:
        results["error"] = str(error)
    big = {i: [j * j for j in range(i)] for i in range(12)}
    first, *rest = sorted(big[11], reverse=True)
    with open(__file__) as opened:
        lines = sum(1 for _ in opened)
    print(results, first, len(rest), lines > 50, strings(40), min(Shape(5), Shape(2)).sides)
    print(matching([1, 2]), matching({"x": 7}), matching(Shape(3)), matching(4))
    print(asyncio.run(gather()), Shape.count)


main()
