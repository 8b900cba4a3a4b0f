// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of flags and enumerated values. A set is a letter; its rows are consecutive and
 * tried in order. A row applies when the bits in its mask have its value; each bit is
 * named once.
 *
 * Example: the flags 0x241 of open(2) become O_WRONLY|O_CREAT|O_TRUNC. Bits without a
 * name follow as hexadecimal.
 */
#include "kernel/machine.h"

#include <inttypes.h>

enum machines { ALL, ARM, NOT_ARM };

#define WORD(machine, set, mask, value, name) { set, machine, mask, value, #name },
#define FLAG(set, value, name) { set, ALL, value, value, #name },
#define ONE(set, value, name) { set, ALL, 0xffffffffu, value, #name },
static const struct word {
	char set;
	uint8_t machine;
	uint32_t mask, value;
	const char *name;
} words[] = {
#include "kernel/words.def"
};
#undef WORD
#undef FLAG
#undef ONE

static bool applies(const struct word *word, const struct machine *machine,
		    uint32_t value)
{
	if (word->machine != ALL && (word->machine == ARM) != machine->is_arm)
		return false;
	return (value & word->mask) == word->value;
}

bool words_print(FILE *out, char letter, const struct machine *machine, uint32_t value)
{
	const struct word *word = words, *end = words + sizeof(words) / sizeof(*words);
	const char *glue = "";
	uint32_t taken = 0;

	while (word < end && word->set != letter)
		word++;
	if (word == end)
		return false;
	for (; word < end && word->set == letter; word++) {
		/*
		 * Wider masks come first: O_SYNC contains O_DSYNC's bit, which must not
		 * be named a second time.
		 */
		if (word->mask & taken || !applies(word, machine, value))
			continue;
		fprintf(out, "%s%s", glue, word->name);
		taken |= word->mask;
		glue = "|";
	}
	/*
	 * What has no name is printed as a number; a value of 0 without any name as a
	 * plain 0.
	 */
	if (value & ~taken || !*glue)
		fprintf(out, value & ~taken ? "%s0x%" PRIx32 : "%s%" PRIu32, glue,
			value & ~taken);
	return true;
}
