// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the damaged places of a file, each followed by what is lost with it. A damaged
 * section alone says little to a user, so salvage.ids (definitions of blocks) and
 * salvage.losses (blocks of threads) are searched for entries that name this place by its
 * offset.
 *
 * Where nothing names the place, it may have been a chunk that was the last of its
 * thread: the chunks of a thread are numbered by position, so a missing one in the middle
 * shows as a hole, and a missing last one does not.
 */
#include "cli/file/damage.h"

#include <stdio.h>

/* Texts are one line each; more losses than LOSSES_MAX of one place are counted. */
enum { LINE_BYTES = 200, LOSSES_MAX = 20 };

/*
 * Whether the place can have been a chunk whose extent nothing else records: its type is
 * unknown or that of a chunk or of its path, or more than one section may have been
 * there.
 */
static bool may_be_chunk(const struct salvage_place *place)
{
	return !place->section.type || place->section.type == SECTION_PATH ||
	       place->section.type == SECTION_CHNK || salvage_has_more(place);
}

/* One form for all losses, so that scripts can select them. */
static void print_lost(const char *file, const char *what)
{
	printf("%s: lost with it: %s\n", file, what);
}

/*
 * What is lost with one damaged place. Definitions come first: without them, intact
 * chunks cannot be decoded.
 */
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
		/* Counts on beyond the limit, for the sum below. */
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

/*
 * The header, then the damaged places, `most` of them, then what is wrong with the end.
 */
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
