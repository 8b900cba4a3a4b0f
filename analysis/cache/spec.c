// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A level as a user writes it: size, ways and length of a line, as data sheets have them,
 * then words in any order for what is not the default.
 *
 *	32k,8,64                  64 sets; LRU, write-back, no prefetch
 *	32k,8,64,plru,next-line   the same with tree-PLRU, which also fetches the next line
 *
 * Sizes are binary here, unlike in the rest of the command line: a cache of 32k has 32,768
 * bytes everywhere. A set is found by bits of the address, so their number must be a power
 * of two; the ways need not be.
 */
#include "analysis/cache/spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/*
 * LINE_MIN leaves room for the flags below a line's number (level.h); WAYS_MAX is the
 * number of bits of a PLRU tree. FIELD_MAX bounds one field of the text.
 */
enum { LINE_MIN = 16, LINE_MAX = 4096, WAYS_MAX = 64, FIELD_MAX = 32 };
#define BYTES_MAX ((uint64_t)1 << 32)

const char *const cache_places[] = { "l1i", "l1d", "l2", "llc", NULL };

/*
 * Geometries as in the processors' manuals and data sheets: caches of one core, and the
 * whole last level.
 */
const struct cache_preset cache_presets[] = {
	{ "generic", { "32k,8,64", "32k,8,64", "512k,8,64", "8M,16,64" } },
	{ "u74", { "32k,4,64", "32k,8,64", "none", "2M,16,64" } },
	{ "c910", { "64k,2,64", "64k,2,64", "none", "1M,16,64" } },
	{ "cortex-a53", { "32k,2,64", "32k,4,64", "none", "512k,16,64" } },
	{ "cortex-a72", { "48k,3,64", "32k,2,64", "none", "1M,16,64" } },
	{ "skylake", { "32k,8,64,plru", "32k,8,64,plru", "256k,4,64", "8M,16,64" } },
	{ "zen2", { "32k,8,64", "32k,8,64", "512k,8,64", "16M,16,64" } },
	{ "zen3", { "32k,8,64", "32k,8,64", "512k,8,64", "32M,16,64" } },
	{ .name = NULL },
};

void cache_spec_init(struct cache_spec *spec)
{
	spec->shared = false;
	/* Presets are valid texts, so this cannot fail. */
	cache_parse_preset(spec, cache_presets[0].name, NULL);
}

static int fail_preset(const char *name, struct wm_error *err)
{
	char known[200] = "";
	size_t used = 0;

	for (const struct cache_preset *it = cache_presets;
	     it->name && used < sizeof(known); it++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 it == cache_presets ? "" :
					 it[1].name	     ? ", " :
							       " and ",
					 it->name);
	return wm_fail(err, WM_E_RANGE, 0,
		       "there are no caches \"%.40s\": there are those of %s", name,
		       known);
}

int cache_parse_preset(struct cache_spec *spec, const char *name, struct wm_error *err)
{
	const struct cache_preset *preset = cache_presets;
	int ret = 0;

	while (preset->name && strcmp(preset->name, name) != 0)
		preset++;
	if (!preset->name)
		return fail_preset(name, err);
	for (unsigned i = 0; !ret && i < CACHE_PLACES; i++)
		ret = cache_parse_level(&spec->levels[i], (enum cache_place)i,
					preset->levels[i], err);
	return ret;
}

/* ---- one level ----------------------------------------------------------------------- */

/*
 * Takes the text up to the next comma, and that comma. False when the text is empty or
 * too long.
 */
static bool take_field(const char **text, char field[FIELD_MAX])
{
	size_t length = strcspn(*text, ",");

	if (!length || length >= FIELD_MAX)
		return false;
	memcpy(field, *text, length);
	field[length] = 0;
	*text += length + ((*text)[length] == ',');
	return true;
}

/*
 * Takes a number, perhaps with k or M. 0 unless it is a number from 1 to `most`, which is
 * no valid value of any field.
 */
static uint64_t take_size(const char **text, uint64_t most)
{
	char field[FIELD_MAX], *end;
	unsigned shift = 0;
	uint64_t value;

	/* strtoull() takes signs and spaces, which are not wanted. */
	if (!take_field(text, field) || field[0] < '0' || field[0] > '9')
		return 0;
	value = strtoull(field, &end, 10);
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'M' || *end == 'm')
		shift = 20;
	/*
	 * Nothing may follow the unit. `most` is shifted, not the value, which might
	 * overflow.
	 */
	if (end[shift != 0] || value > most >> shift)
		return 0;
	return value << shift;
}

static bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* Of each list at most one word is given. */
enum { WORDS_REPLACE = 1, WORDS_WRITE = 2, WORDS_PREFETCH = 4 };

static int find_word(const char *word, const char *const *words, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(word, words[i]))
			return (int)i;
	return -1;
}

/* Sets the field of a word; its list, or 0. Words of the lists are in the order of their enums. */
static unsigned set_field(struct cache_level *level, enum cache_place place,
			  const char *word)
{
	static const char *const replaces[] = { "lru", "plru", "random" };
	static const char *const writes[] = { "back", "through" };
	static const char *const prefetches[] = { "no-prefetch", "next-line", "stride" };
	int replace = find_word(word, replaces, 3), write = find_word(word, writes, 2);
	/* The stride prefetcher learns from loads and stores, which L1I never sees. */
	int prefetch = find_word(word, prefetches, place == CACHE_L1I ? 2 : 3);

	if (replace >= 0)
		level->replace = (enum cache_replace)replace;
	if (write >= 0)
		level->write = (enum cache_write)write;
	if (prefetch >= 0)
		level->prefetch = (enum cache_prefetch)prefetch;
	return replace >= 0  ? WORDS_REPLACE :
	       write >= 0    ? WORDS_WRITE :
	       prefetch >= 0 ? WORDS_PREFETCH :
			       0;
}

/* *lists has those of which a word was given. */
static int set_word(struct cache_level *level, enum cache_place place, const char *word,
		    unsigned *lists, struct wm_error *err)
{
	unsigned list = set_field(level, place, word);

	if (!list)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%s cannot be \"%s\": there are lru, plru, random; back, "
			       "through; next-line, %sno-prefetch",
			       cache_places[place], word,
			       place == CACHE_L1I ? "" : "stride, ");
	if (*lists & list)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%s has \"%s\" after another word of that kind",
			       cache_places[place], word);
	*lists |= list;
	return 0;
}

static int check_level(const struct cache_level *level, enum cache_place place,
		       const char *text, struct wm_error *err)
{
	const char *name = cache_places[place];
	uint64_t way = (uint64_t)level->ways * level->line;

	/* take_size() has left 0 where the text is no number in range. */
	if (!level->bytes || !level->ways || !level->line)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%s takes SIZE,WAYS,LINE with numbers, of up to %d ways "
			       "and %d bytes in a line, not \"%.60s\"",
			       name, WAYS_MAX, LINE_MAX, text);
	if (level->line < LINE_MIN || !is_power_of_two(level->line))
		return wm_fail(err, WM_E_RANGE, 0,
			       "a line of %s has a power of two of bytes, from %d to %d",
			       name, LINE_MIN, LINE_MAX);
	/* The set is bits of the line's number: level->set_mask. */
	if (level->bytes % way || !is_power_of_two(level->bytes / way))
		return wm_fail(err, WM_E_RANGE, 0,
			       "the sets of %s must be a power of two: %" PRIu64
			       " bytes are not, in %" PRIu32 " ways of %" PRIu32 " bytes",
			       name, level->bytes, level->ways, level->line);
	/* The tree is complete: every leaf is a way. */
	if (level->replace == CACHE_PLRU && !is_power_of_two(level->ways))
		return wm_fail(err, WM_E_RANGE, 0,
			       "%s has %" PRIu32 " ways, and plru needs a power of two",
			       name, level->ways);
	return 0;
}

int cache_parse_level(struct cache_level *level, enum cache_place place, const char *text,
		      struct wm_error *err)
{
	struct cache_level parsed = { .bytes = 0 };
	const char *rest = text;
	char word[FIELD_MAX];
	unsigned lists = 0;
	int ret;

	/* Every access has a first level: L1I and L1D cannot be absent. */
	if (!strcmp(text, "none") && place > CACHE_L1D) {
		*level = parsed;
		return 0;
	}
	parsed.bytes = take_size(&rest, BYTES_MAX);
	parsed.ways = (uint32_t)take_size(&rest, WAYS_MAX);
	parsed.line = (uint32_t)take_size(&rest, LINE_MAX);
	while (*rest) {
		if (!take_field(&rest, word))
			return wm_fail(err, WM_E_RANGE, 0, "%s cannot be \"%.60s\"",
				       cache_places[place], text);
		ret = set_word(&parsed, place, word, &lists, err);
		if (ret)
			return ret;
	}
	ret = check_level(&parsed, place, text, err);
	if (!ret)
		*level = parsed;
	return ret;
}

/*
 * A write-back goes to one line of the level below, so lines must not become shorter on
 * the way down. L1D is not below L1I: both lead to L2.
 */
int cache_check(const struct cache_spec *spec, struct wm_error *err)
{
	const struct cache_level *levels = spec->levels;

	for (unsigned i = 0; i < CACHE_PLACES; i++)
		for (unsigned below = i < CACHE_L2 ? CACHE_L2 : i + 1;
		     below < CACHE_PLACES; below++)
			if (levels[below].bytes && levels[below].line < levels[i].line)
				return wm_fail(err, WM_E_RANGE, 0,
					       "a line of %s is shorter than one of %s",
					       cache_places[below], cache_places[i]);
	return 0;
}
