/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What it accesses is known: see guest.sh. */
enum { TIMES = 1000, ROWS = 64, COLUMNS = 64 };

int counter;
long table[ROWS][COLUMNS];
unsigned char ring[256];

__attribute__((noinline)) static void bump(int by)
{
	counter += by;
}

/* Every row of a column: 512 bytes apart. */
__attribute__((noinline)) static long down(int column)
{
	long sum = 0;

	for (int row = 0; row < ROWS; row++)
		sum += table[row][column];
	return sum;
}

__attribute__((noinline)) static void scatter(void)
{
	unsigned at = 1;

	for (int i = 0; i < TIMES; i++) {
		at = at * 1103515245 + 12345;
		ring[at >> 16 & 255] = (unsigned char)i;
	}
}

int main(void)
{
	for (int i = 0; i < TIMES; i++)
		bump(i);
	for (int row = 0; row < ROWS; row++)
		table[row][7] = row;
	scatter();
	return down(7) != ROWS * (ROWS - 1) / 2 || counter != TIMES * (TIMES - 1) / 2;
}
