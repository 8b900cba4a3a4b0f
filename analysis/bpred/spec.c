// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A predictor as a user writes it: a name, then keys with numbers, in any order. What is
 * not given keeps the default of that predictor. Sizes are entries, not bytes, because the
 * width of an entry is part of the design and not a choice.
 *
 *	"gshare"                          16384 counters, 14 outcomes
 *	"gshare,entries=4096,history=12"  4096 counters, 12 outcomes
 *
 * A key belongs to some predictors only; the others refuse it, so that a setting without
 * effect is never silently accepted. Every number has a least and a most value, and
 * entries must be a power of two: tables are indexed by bits of a hash.
 */
#include "analysis/bpred/spec.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "out/number.h"

/* 2^24 entries of a table of TAGE are 64 MiB, far more than any CPU has. */
enum { KEY_MAX = 32, ENTRIES_MAX = 1 << 24 };

/* A number of a predictor. */
struct key {
	const char *name;
	size_t offset;	/* of its uint32_t in the struct */
	unsigned kinds; /* a bit for each enum bpred_kind that has it */
	uint32_t least, most;
	bool power_of_two;
};

#define OF(kind) (1u << (kind))
#define ALL (OF(BPRED_KINDS) - 1)

static const struct key direction_keys[] = {
	{ "entries", offsetof(struct bpred_direction, entries), ALL, 2, ENTRIES_MAX,
	  true },
	{ "history", offsetof(struct bpred_direction, history),
	  OF(BPRED_GSHARE) | OF(BPRED_TAGE), 1, BPRED_HISTORY_MAX, false },
	{ "tables", offsetof(struct bpred_direction, tables), OF(BPRED_TAGE), 1,
	  BPRED_TABLES_MAX, false },
	{ "tag", offsetof(struct bpred_direction, tag), OF(BPRED_TAGE), 4, 15, false },
	{ "base", offsetof(struct bpred_direction, base), OF(BPRED_TAGE), 2, ENTRIES_MAX,
	  true },
	{ "aging", offsetof(struct bpred_direction, aging), OF(BPRED_TAGE), 1, 1u << 31,
	  false },
	{ .name = NULL },
};

static const struct key btb_keys[] = {
	{ "entries", offsetof(struct bpred_btb, entries), ALL, 1, ENTRIES_MAX, true },
	{ "ways", offsetof(struct bpred_btb, ways), ALL, 1, 64, true },
	{ "path", offsetof(struct bpred_btb, path), ALL, 0, 32, false },
	{ .name = NULL },
};

/* In the order of enum bpred_kind. */
static const char *const names[BPRED_KINDS] = { "bimodal", "gshare", "tage" };

/* TAGE's six tables see 4, 8, 16, 32, 64 and 128 outcomes. */
static const struct bpred_direction standard[BPRED_KINDS] = {
	[BPRED_BIMODAL] = { .kind = BPRED_BIMODAL, .entries = 16384 },
	[BPRED_GSHARE] = { .kind = BPRED_GSHARE, .entries = 16384, .history = 14 },
	[BPRED_TAGE] = { .kind = BPRED_TAGE,
			 .entries = 1024,
			 .history = 4,
			 .tables = 6,
			 .tag = 10,
			 .base = 4096,
			 .aging = 1 << 18 },
};

void bpred_spec_init(struct bpred_spec *spec)
{
	*spec = (struct bpred_spec){
		.direction = standard[BPRED_TAGE],
		.btb = { .entries = 1024, .ways = 4 },
		.returns = 16,
	};
}

/* 0 would pass as a power of two; the least values of such keys exclude it. */
static int check_number(const struct key *key, const char *text, uint64_t *value,
			struct wm_error *err)
{
	if (number_parse(text, value) && *value >= key->least && *value <= key->most &&
	    (!key->power_of_two || !(*value & (*value - 1))))
		return 0;
	return wm_fail(err, WM_E_RANGE, 0,
		       "%s takes a %s from %" PRIu32 " to %" PRIu32 ", not \"%s\"",
		       key->name, key->power_of_two ? "power of two" : "number",
		       key->least, key->most, text);
}

/* Fails with the settings that there are. */
static int no_key(const struct key *keys, unsigned kinds, const char *text, size_t length,
		  struct wm_error *err)
{
	char there[96] = "";
	size_t n = 0;

	for (; keys->name && n < sizeof(there); keys++)
		if (keys->kinds & kinds)
			n += (size_t)snprintf(there + n, sizeof(there) - n, "%s%s=N",
					      n ? ", " : "", keys->name);
	return wm_fail(err, WM_E_RANGE, 0,
		       "a predictor has no setting \"%.*s\"; there are %s",
		       (int)(length < KEY_MAX ? length : KEY_MAX), text, there);
}

/* One "KEY=VALUE" of `length` bytes, for a predictor of one of `kinds`. */
static int set_key(void *to, const struct key *keys, unsigned kinds, const char *text,
		   size_t length, struct wm_error *err)
{
	const struct key *all = keys;
	size_t name = strcspn(text, "=,");
	char word[KEY_MAX];
	uint64_t value;
	int ret;

	/* A word that is too long is no key. */
	if (length < sizeof(word) && text[name] == '=') {
		memcpy(word, text, length);
		word[length] = word[name] = 0;
		for (; keys->name; keys++) {
			if (!(keys->kinds & kinds) || strcmp(keys->name, word) != 0)
				continue;
			ret = check_number(keys, word + name + 1, &value, err);
			/* Every number of these structs is a uint32_t. */
			if (!ret)
				*(uint32_t *)((char *)to + keys->offset) =
					(uint32_t)value;
			return ret;
		}
	}
	return no_key(all, kinds, text, length, err);
}

/* All of "KEY=VALUE,KEY=VALUE". */
static int set_keys(void *to, const struct key *keys, unsigned kinds, const char *text,
		    struct wm_error *err)
{
	int ret = 0;

	for (;;) {
		size_t length = strcspn(text, ",");

		ret = set_key(to, keys, kinds, text, length, err);
		if (ret || !text[length])
			return ret;
		text += length + 1;
	}
}

/* A history that is longer than the index would shift outcomes out of it unused. */
static int check_direction(const struct bpred_direction *direction, struct wm_error *err)
{
	uint64_t longest = direction->history;

	/* Each table sees twice as many outcomes as the one before. */
	if (direction->kind == BPRED_TAGE)
		longest <<= direction->tables - 1;
	if (direction->kind == BPRED_GSHARE &&
	    (direction->history > 24 || direction->entries >> direction->history == 0))
		return wm_fail(err, WM_E_RANGE, 0,
			       "%" PRIu32
			       " entries have no room for a history of %" PRIu32
			       " outcomes",
			       direction->entries, direction->history);
	if (longest > BPRED_HISTORY_MAX)
		return wm_fail(err, WM_E_RANGE, 0,
			       "the history of the last table would be %" PRIu64
			       " outcomes, and may be %d",
			       longest, BPRED_HISTORY_MAX);
	return 0;
}

int bpred_parse_direction(struct bpred_direction *direction, const char *text,
			  struct wm_error *err)
{
	size_t length = strcspn(text, ",");
	char near[NEAREST_HINT], word[KEY_MAX + 1];
	unsigned kind = 0;
	int ret = 0;

	/* The whole word must match. */
	while (kind < BPRED_KINDS &&
	       (strlen(names[kind]) != length || strncmp(names[kind], text, length) != 0))
		kind++;
	snprintf(word, sizeof(word), "%.*s", (int)(length < KEY_MAX ? length : KEY_MAX),
		 text);
	if (kind == BPRED_KINDS)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no predictor \"%s\": it is bimodal, gshare or "
			       "tage%s",
			       word, nearest_hint(near, word, names, BPRED_KINDS));
	*direction = standard[kind];
	if (text[length])
		ret = set_keys(direction, direction_keys, OF(kind), text + length + 1,
			       err);
	return ret ? ret : check_direction(direction, err);
}

int bpred_parse_btb(struct bpred_btb *btb, const char *text, struct wm_error *err)
{
	int ret = set_keys(btb, btb_keys, ALL, text, err);

	/* Both are powers of two, so a number of ways that fits divides the entries. */
	if (!ret && btb->ways > btb->entries)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%" PRIu32 " entries cannot have %" PRIu32 " ways",
			       btb->entries, btb->ways);
	return ret;
}
