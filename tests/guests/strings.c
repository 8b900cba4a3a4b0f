// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: string functions of the C library: short loops with data-dependent ends,
// chosen at start by indirect functions (IFUNC) or not, and hand-written in assembly.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char text[4096] = "", copy[4096], *save, *word;
	unsigned seed = 5, sum = 0;

	for (int i = 0; i < 300; i++) {
		char piece[16];

		seed = seed * 1664525 + 1013904223;
		snprintf(piece, sizeof(piece), "%x%c", seed >> (8 + seed % 20),
			 ",; "[i % 3]);
		strcat(text, piece);
	}
	for (int round = 0; round < 12; round++) {
		strcpy(copy, text);
		word = strtok_r(copy, ",; ", &save);
		while (word) {
			char *found = strstr(text, word);

			sum = sum * 31 + (unsigned)strlen(word);
			sum += found ? (unsigned)(found - text) : 99;
			sum += (unsigned)strtoul(word, NULL, 16);
			sum ^= (unsigned)(strcmp(word, "8") < 0);
			if (strchr(word, 'a'))
				memmove(text + 8, text + 9, 100);
			if (strrchr(word, 'b') && strspn(word, "0123456789") > 1)
				sum += !!memchr(text, 'c', 50);
			word = strtok_r(NULL, ",; ", &save);
		}
		memset(copy + round, 'z', (size_t)round * 7);
		sum += memcmp(copy, text, 5) > 0;
	}
	printf("strings %08x\n", sum);
	return 0;
}
