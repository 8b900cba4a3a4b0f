// SPDX-License-Identifier: GPL-2.0-or-later
// Code inlined into inlined code, in names that linkers mangle.
#include <cstdio>

namespace shapes
{
struct square {
	int side;
	static inline int area_of(int side)
	{
		return side * side + 1;
	}
	inline int area() const
	{
		return area_of(side);
	}
};
} // namespace shapes

__attribute__((noinline)) static int sum(volatile int *n)
{
	int all = 0;

	for (int i = 0; i < *n; i++)
		all += shapes::square{ i ^ *n }.area();
	return all;
}

int main()
{
	volatile int n = 1000;

	return std::printf("%d\n", sum(&n)) < 0;
}
