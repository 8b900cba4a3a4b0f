// SPDX-License-Identifier: GPL-2.0-or-later
// Functions whose names are hard to draw, each of which runs a good part of the program.
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#define LOOP(type, end, sum)                                                                \
	for (type i = 0; i < (end); i++) {                                                   \
		(sum) += i * (sum);                                                          \
		asm volatile("" : "+r"(sum));                                                \
	}

template <class... T> struct pack {
	template <class U> __attribute__((noinline)) static unsigned long work(U end)
	{
		unsigned long sum = 0;

		LOOP(U, end, sum)
		return sum;
	}
};

struct value {
	unsigned long n;
};

#define OPERATOR(sign)                                                                      \
	__attribute__((noinline)) value operator sign(value a, value b)                      \
	{                                                                                    \
		LOOP(unsigned long, b.n, a.n)                                                \
		return a;                                                                    \
	}
OPERATOR(%)
OPERATOR(<)
OPERATOR(<<)

__attribute__((noinline)) unsigned long größe_der_Straße()
{
	unsigned long sum = 0;

	LOOP(unsigned long, 5500, sum)
	return sum;
}

__attribute__((noinline)) unsigned long
a_function_whose_name_has_one_hundred_letters_because_somebody_likes_to_write_down_everything_it_(
	unsigned long end)
{
	unsigned long sum = 0;

	LOOP(unsigned long, end, sum)
	return sum;
}

using tables = std::map<std::string, std::vector<std::pair<int, std::string>>>;

int main()
{
	value start = {1}, end = {5000};
	unsigned long sum = (start % end).n + (start < end).n + (start << end).n;

	sum += pack<tables>::work(9000ul) + pack<tables, tables>::work(8000ul) +
	       pack<int>::work(7000) +
	       pack<tables, std::function<tables(tables)>>::work(6000ul) + größe_der_Straße() +
	       a_function_whose_name_has_one_hundred_letters_because_somebody_likes_to_write_down_everything_it_(
		       5100);
	printf("%lu\n", sum);
}
