// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: variable arguments and printf's interpreter of formats, a web of indirect
// jumps inside the C library, with output through stdio buffers.

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static double total(const char *kinds, ...)
{
	double sum = 0;
	va_list args, again;

	va_start(args, kinds);
	va_copy(again, args);
	for (const char *k = kinds; *k; k++) {
		switch (*k) {
		case 'i': sum += va_arg(args, int); break;
		case 'l': sum += (double)va_arg(args, long); break;
		case 'd': sum += va_arg(args, double); break;
		case 's': sum += (double)strlen(va_arg(args, char *)); break;
		}
	}
	if (*kinds == 'i')
		sum += va_arg(again, int);
	va_end(again);
	va_end(args);
	return sum;
}

int main(void)
{
	unsigned hash = 2166136261u;
	char line[200];

	for (int i = 0; i < 300; i++) {
		double sum = total("iilsdidlisd", i, i * 2, (long)i << 20, "four",
				   i / 8.0, 7, 2.5, -1L, 3, "x", 1e3);
		int len = snprintf(line, sizeof(line),
				   "%5d|%-8x|%+.3e|%g|%s|%c|%08lo|%a|%*d", i,
				   i * 77u, sum, i / 3.0, i % 2 ? "odd" : "even",
				   'a' + i % 26, (long)i * 99, i / 4.0, i % 12, i);

		for (int j = 0; j < len; j++)
			hash = (hash ^ (unsigned char)line[j]) * 16777619u;
	}
	printf("varargs %08x\n%s\n", hash, line);
	return 0;
}
