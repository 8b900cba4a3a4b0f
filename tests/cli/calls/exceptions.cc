// SPDX-License-Identifier: GPL-2.0-or-later
// Exceptions: over frames that clean up and frames that do not, caught far out, thrown on,
// in constructors and destructors, out of callbacks and recursion.

#include "witness.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#define FAR __attribute__((noinline, noclone))
#define SILENT __attribute__((noinline, noclone, no_instrument_function))

static volatile int sink;

FAR static int leaf(int x)
{
	return x + sink;
}

struct guard {
	int number;
	FAR explicit guard(int n) : number(n) { leaf(n); }
	FAR ~guard() { sink = sink + leaf(number); }
};

FAR static void thrower(int what)
{
	leaf(what);
	if (what % 3 == 0)
		throw std::runtime_error("three");
	if (what % 3 == 1)
		throw what;
	sink = sink + 1;
}

// Of these nothing is left on the way out: one throw passes them all.
SILENT static void silent_three(int what)
{
	thrower(what);
	sink = sink + 1;
}

SILENT static void silent_two(int what)
{
	silent_three(what);
	sink = sink + 2;
}

SILENT static void silent_one(int what)
{
	silent_two(what);
	sink = sink + 3;
}

FAR static void guarded(int what)
{
	guard one(what), two(what + 1);

	silent_one(what);
	sink = sink + 4;
}

FAR static void on_again(int what)
{
	try {
		guarded(what);
	} catch (const std::runtime_error &) {
		leaf(7);
		throw;
	}
}

FAR static int catcher(int what)
{
	try {
		on_again(what);
	} catch (int number) {
		return leaf(number);
	} catch (const std::exception &error) {
		return leaf(error.what()[0]);
	}
	return leaf(-1);
}

FAR static void sink_down(int depth)
{
	guard one(depth);

	if (depth == 0)
		thrower(3);
	sink_down(depth - 1);
	sink = sink + 1;
}

FAR static int recursion(int depth)
{
	try {
		sink_down(depth);
	} catch (const std::exception &) {
		return leaf(depth);
	}
	return 0;
}

struct fragile {
	guard first;
	FAR explicit fragile(int what) : first(what) { thrower(what); }
};

FAR static int construction(int what)
{
	try {
		fragile one(what);
		return leaf(1);
	} catch (...) {
		return leaf(2);
	}
}

FAR static int callback()
{
	std::vector<int> numbers{ 5, 3, 9, 1 };

	try {
		std::for_each(numbers.begin(), numbers.end(),
			      std::function<void(int)>(thrower));
	} catch (...) {
		return leaf(9);
	}
	return 0;
}

int main()
{
	for (int i = 0; i < 9; i++)
		sink = sink + catcher(i) + construction(i);
	return recursion(6) + recursion(1) + callback() == 12345;
}
