// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A damaged section by itself says little. So each is followed by what is lost with it:
 * which ids, and which blocks of which threads. Where even that is unknown, the section
 * may have been a chunk at the end of a thread.
 */
#include "cli/file/damage.h"

#include <stdio.h>

enum { LINE_BYTES = 200, LOSSES_MAX = 20 };

/* A chunk whose extent was said nowhere else. */
static bool may_be_chunk(const struct salvage_place *place)
{
	return !place->section.type || place->section.type == SECTION_PATH ||
	       place->section.type == SECTION_CHNK || salvage_has_more(place);
}

static void print_lost(const char *file, const char *what)
{
	printf("%s: lost with it: %s\n", file, what);
}

/* What is lost by a damaged place. */
static void print_losses(const char *file, const struct salvage *salvage,
			 const struct salvage_place *place)
{
	uint64_t off = place->section.off;
	size_t found = 0;
	char text[LINE_BYTES];

	for (size_t i = 0; i < salvage->ids_count; i++) {
		if (salvage->ids[i].place_off != off)
			continue;
		salvage_describe_ids(&salvage->ids[i], text, sizeof(text));
		print_lost(file, text);
		found++;
	}
	for (size_t i = 0; i < salvage->loss_count; i++) {
		if (salvage->losses[i].place_off != off || ++found > LOSSES_MAX)
			continue;
		salvage_describe_loss(&salvage->losses[i], text, sizeof(text));
		print_lost(file, text);
	}
	if (found > LOSSES_MAX)
		printf("%s: lost with it: %zu more chunks\n", file, found - LOSSES_MAX);
	if (!found && may_be_chunk(place))
		print_lost(file, "blocks of the end of a thread, not known how many");
}

void damage_print(const char *file, const struct salvage *salvage, size_t most)
{
	char text[LINE_BYTES];

	if (salvage->header)
		printf("%s: %s\n", file, salvage->header);
	for (size_t i = 0; i < salvage->place_count && i < most; i++) {
		salvage_describe_place(salvage, i, text, sizeof(text));
		printf("%s: damaged: %s\n", file, text);
		print_losses(file, salvage, &salvage->places[i]);
	}
	if (salvage->place_count > most)
		printf("%s: damaged: %zu more sections\n", file,
		       salvage->place_count - most);
	if (salvage->end)
		printf("%s: %s\n", file, salvage->end);
}
