// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/choice.h"

#include <argp.h>
#include <string.h>

static void join(char *text, size_t size, const char *const *words)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; words[i] && used < size; i++) {
		const char *glue = !i ? "" : words[i + 1] ? ", " : " or ";

		used += (size_t)snprintf(text + used, size - used, "%s%s", glue,
					 words[i]);
	}
}

unsigned choice_or_end(const char *arg, const char *option, const char *const *words,
		       struct argp_state *state)
{
	char all[256];

	for (unsigned i = 0; words[i]; i++)
		if (!strcmp(words[i], arg))
			return i;
	join(all, sizeof(all), words);
	argp_error(state, "--%s takes %s, not \"%s\"", option, all, arg);
	return 0;
}
