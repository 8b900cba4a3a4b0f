// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads and stores pointers into the program's own data, wherever that was mapped. */
static volatile int numbers[4] = { 1, 2, 3, 4 };
static volatile int *const volatile table[4] = { numbers + 3, numbers + 1, numbers,
						 numbers + 2 };
static volatile int *volatile last;

__attribute__((noinline)) void done(void)
{
	last = 0;
}

__attribute__((noinline)) int work(void)
{
	int sum = 0;

	for (int i = 0; i < 4; i++) {
		last = table[i];
		sum += *last;
	}
	return sum;
}

int main(void)
{
	int sum = work();

	done();
	return sum != 10;
}
