// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first levels start empty here, and a set's ways without a line stand for lines that are
 * not known. With LRU, what a set has is its last lines, in the order of use: first the lines
 * that were used here, then as many of those before as still fit.
 *
 *	the line was used here		it hits
 *	not, and all ways were		it misses; the set's last line leaves
 *	not, and some ways were not	it may be one of those before: the replay tells
 *
 * The levels below are asked only about what misses here, so they are left to the replay,
 * whatever their policies are. It does not see hits: they change the order of lines that were
 * used here, which matters when one of them leaves, and then the entry names it; and they make
 * lines dirty, which the entry says, too. cache_settle() brings in the order at the end.
 *
 * Example, 2 ways, the set had x and y: a (may hit), b (may hit), a (hits), c (misses, b
 * leaves), y (misses, a leaves). Of five accesses the log has four; in a run of millions it
 * has one of a hundred.
 *
 * An entry: id << 2 | kind of the access, the instruction, its bytes, the distance from the
 * last entry's address; a number for each line: 0 hits, 1 may hit, else what leaves. Kind 3 is
 * no access: 0 << 2 and a number, the interval; 1 << 2 and a number, the space; 2 << 2 and a
 * number, by which what follows is later.
 */
#include "analysis/cache/log.h"

#include <stdlib.h>

#include "analysis/statebytes.h"

/* BYTES_MAX: of one access, which bounds what a hostile log can ask for. */
enum {
	MARK = CACHE_KINDS,
	MARK_INTERVAL = 0,
	MARK_SPACE = 1,
	MARK_TIME = 2,
	BYTES_MAX = 1 << 16
};
enum { HITS, MAY_HIT, MISSES };

static bool fits(const struct cache_level *level)
{
	return level->bytes && level->replace == CACHE_LRU &&
	       level->write == CACHE_BACK && level->prefetch == CACHE_NO_PREFETCH;
}

bool cache_log_fits(const struct cache_spec *spec)
{
	return fits(&spec->levels[CACHE_L1I]) && fits(&spec->levels[CACHE_L1D]);
}

struct cache_log *cache_log_new(const struct cache_spec *spec)
{
	struct cache_log *log = calloc(1, sizeof(*log));

	if (log && level_init(&log->first[0], &spec->levels[CACHE_L1I]) &&
	    level_init(&log->first[1], &spec->levels[CACHE_L1D]))
		return log;
	cache_log_free(log);
	return NULL;
}

void cache_log_free(struct cache_log *log)
{
	if (!log)
		return;
	level_fini(&log->first[0]);
	level_fini(&log->first[1]);
	buf_fini(&log->entries);
	free(log);
}

/* ---- writing --------------------------------------------------------------------------- */

/* The set's number is that of the line that comes, so only the rest of a line is needed. */
static unsigned set_bits(const struct level *level)
{
	return (unsigned)__builtin_popcountll(level->set_mask);
}

static void put_line(struct cache_log *log, const struct level *level, uint64_t line,
		     uint64_t old)
{
	unsigned shift = set_bits(level);
	uint64_t victim = old >> LINE_SHIFT >> shift;

	if (old == LINE_THERE)
		buf_put_varint(&log->entries, HITS);
	else if (!old)
		buf_put_varint(&log->entries, MAY_HIT);
	else
		buf_put_varint(&log->entries,
			       MISSES +
				       (zigzag((int64_t)((line >> shift) - victim)) << 1 |
					!!(old & LINE_DIRTY)));
}

static void put_mark(struct cache_log *log, unsigned mark, uint64_t value)
{
	buf_put_varint(&log->entries, mark << 2 | MARK);
	buf_put_varint(&log->entries, value);
}

/* Before an entry of another time than the one before. */
static void put_time(struct cache_log *log)
{
	if (log->marked != log->now)
		put_mark(log, MARK_TIME, log->now - log->marked);
	log->marked = log->now;
}

static void put_head(struct cache_log *log, const struct cache_access *access,
		     uint32_t id, uint32_t insn)
{
	uint64_t *last = &log->last[access->kind != CACHE_FETCH];

	buf_put_varint(&log->entries, (uint64_t)id << 2 | access->kind);
	buf_put_varint(&log->entries, insn);
	buf_put_varint(&log->entries, access->bytes);
	buf_put_varint(&log->entries, zigzag((int64_t)(access->address - *last)));
	*last = access->address;
}

/* Uses a line, and returns what it replaced: LINE_THERE, or 0 where that is not known. */
static uint64_t use(struct level *level, uint64_t line, bool stored)
{
	uint64_t old, *word = level_claim(level, line, 0, &old);

	*word |= stored ? LINE_DIRTY : 0;
	return old;
}

/* An access to several lines: the entry is taken back when all of them hit. */
static void use_lines(struct cache_log *log, const struct cache_access *access,
		      uint32_t id, uint32_t insn, uint64_t line, uint64_t end)
{
	unsigned data = access->kind != CACHE_FETCH;
	struct level *level = &log->first[data];
	uint64_t last = log->last[data], old;
	size_t len;
	bool hit = true;

	put_time(log);
	len = log->entries.len;
	put_head(log, access, id, insn);
	/* After the last line of memory comes the first. */
	for (bool more = true; more; line = (line + 1) & UINT64_MAX >> level->line_bits) {
		more = line != end;
		old = use(level, line, access->kind == CACHE_STORE);
		put_line(log, level, line, old);
		hit &= old == LINE_THERE;
	}
	if (!hit)
		return;
	log->entries.len = len;
	log->last[data] = last;
}

void cache_log_access(struct cache_log *log, const struct cache_access *access,
		      uint32_t id, uint32_t insn)
{
	struct level *level = &log->first[access->kind != CACHE_FETCH];
	uint64_t line = access->address >> level->line_bits;
	uint64_t end = (access->address + access->bytes - 1) >> level->line_bits, old;

	log->accesses[access->kind]++;
	if (line != end) {
		use_lines(log, access, id, insn, line, end);
		return;
	}
	old = use(level, line, access->kind == CACHE_STORE);
	if (old == LINE_THERE)
		return;
	put_time(log);
	put_head(log, access, id, insn);
	put_line(log, level, line, old);
}

void cache_log_space(struct cache_log *log, uint32_t space)
{
	put_mark(log, MARK_SPACE, space);
}

void cache_log_interval(struct cache_log *log, uint64_t from)
{
	put_mark(log, MARK_INTERVAL, from);
}

/* ---- reading --------------------------------------------------------------------------- */

static bool next_mark(struct span *in, uint64_t mark, struct cache_entry *entry)
{
	entry->kind = mark == MARK_SPACE ? CACHE_ENTRY_SPACE :
		      mark == MARK_TIME	 ? CACHE_ENTRY_TIME :
					   CACHE_ENTRY_INTERVAL;
	entry->value = span_varint(in);
	return mark <= MARK_TIME && !in->failed;
}

bool cache_log_next(struct span *in, uint64_t last[2], struct cache_entry *entry)
{
	struct cache_access *access = &entry->access;
	uint64_t head = span_varint(in);

	if ((head & 3) == MARK)
		return next_mark(in, head >> 2, entry);
	entry->kind = CACHE_ENTRY_ACCESS;
	access->kind = (enum cache_kind)(head & 3);
	entry->id = head >> 2 > UINT32_MAX ? 0 : (uint32_t)(head >> 2);
	entry->insn = (uint32_t)state_below(in, UINT32_MAX);
	access->bytes = (uint32_t)state_below(in, BYTES_MAX);
	last[access->kind != CACHE_FETCH] += (uint64_t)unzigzag(span_varint(in));
	access->address = last[access->kind != CACHE_FETCH];
	return entry->id && access->bytes && !in->failed;
}

struct cache_line_known cache_log_line(struct span *in, const struct level *level,
				       uint64_t line)
{
	struct cache_line_known known = { .known = CACHE_HITS };
	uint64_t code = span_varint(in);
	unsigned shift = set_bits(level);

	if (code == MAY_HIT)
		known.known = CACHE_MAY_HIT;
	if (code < MISSES)
		return known;
	known.known = CACHE_MISSES;
	known.dirty = (code - MISSES) & 1;
	known.victim = ((line >> shift) - (uint64_t)unzigzag((code - MISSES) >> 1))
			       << shift |
		       (line & level->set_mask);
	return known;
}

/* ---- bytes ----------------------------------------------------------------------------- */

void cache_log_put(const struct cache_log *log, struct buf *out)
{
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++)
		buf_put_varint(out, log->accesses[kind]);
	level_put(&log->first[0], out);
	level_put(&log->first[1], out);
	buf_put_varint(out, log->now);
	buf_put_varint(out, log->entries.len);
	buf_put(out, log->entries.data, log->entries.len);
	out->failed |= log->entries.failed;
}

struct cache_log *cache_log_get(const struct cache_spec *spec, struct span *in)
{
	struct cache_log *log = cache_log_new(spec);
	uint64_t bytes;

	if (!log)
		return NULL;
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++)
		log->accesses[kind] = span_varint(in);
	level_get(&log->first[0], in);
	level_get(&log->first[1], in);
	log->now = span_varint(in);
	bytes = state_count(in);
	if (!in->failed)
		buf_put(&log->entries, span_bytes(in, bytes), bytes);
	if (!in->failed && !log->entries.failed)
		return log;
	cache_log_free(log);
	return NULL;
}
