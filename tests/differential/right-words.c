// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random words of each line of isa/riscv.def that are the line's, with their right texts at
 * address 0: "<word>|<text>" a line. Arguments: xlen, how many words of each line.
 */
#include <stdio.h>
#include <stdlib.h>

#include "isa/riscv.h"

static const struct {
	uint32_t match, mask;
} lines[] = {
#define INSN(name, match, mask, ...) { match, mask },
#include "isa/riscv.def"
};

/* xorshift64, by Marsaglia: the same words in every run. */
static uint32_t random_word(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

int main(int argc, char **argv)
{
	unsigned xlen = argc > 2 ? (unsigned)atoi(argv[1]) : 64;
	int words = argc > 2 ? atoi(argv[2]) : 1;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		for (int n = 0; n < words; n++) {
			uint32_t word = lines[i].match | (random_word() & ~lines[i].mask);
			const struct riscv_insn *insn = riscv_decode(word, xlen);
			char text[256];

			if (!insn || insn->mask != lines[i].mask ||
			    !riscv_text(word, xlen, RISCV_RIGHT, 0, text, sizeof(text)))
				continue;
			printf("%08x|%s\n", word, text);
		}
	return 0;
}
