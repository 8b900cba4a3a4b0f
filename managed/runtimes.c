// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All that is known here of any runtime: a row of the table. The rest of the core asks what a
 * piece is for, and never for names.
 *
 * Example: HotSpot's "fast_iload2" is a pair, so what follows an iload is executed with it.
 */
#include "managed/runtimes.h"

#include <string.h>

static const char *const none[] = { NULL };
static const char *const hotspot_pairs[] = { "fast_iaccess_0", "fast_aaccess_0",
					     "fast_faccess_0", "fast_iload2",
					     "fast_icaload",   NULL };

static const struct runtime_rules runtimes[] = {
	{ "hotspot", UNIT_JAVA, true, "method entry point", "return entry point",
	  hotspot_pairs },
	{ "CPython", UNIT_PYTHON, false, NULL, NULL, none },
};
static const struct runtime_rules unknown = { "", UNIT_OTHER, false, NULL, NULL, none };

const struct runtime_rules *runtime_find(const uint8_t *name, size_t bytes)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		if (bytes == strlen(runtimes[i].name) &&
		    !memcmp(name, runtimes[i].name, bytes))
			return &runtimes[i];
	return &unknown;
}

enum piece_role runtime_role(const struct runtime_rules *runtime, const char *name,
			     int32_t opcode)
{
	if (opcode < 0 && runtime->begins && strstr(name, runtime->begins))
		return PIECE_BEGINS;
	if (opcode < 0 && runtime->resumes && strstr(name, runtime->resumes))
		return PIECE_RESUMES;
	for (size_t i = 0; runtime->pairs[i]; i++)
		if (!strcmp(name, runtime->pairs[i]))
			return PIECE_PAIR;
	return PIECE_PLAIN;
}
