// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory for code is used again, so several pieces may have been at an address. The blocks
 * that ran decide: a block is of a piece that has the same bytes at its address. A piece
 * was there from the first block on that is certainly its own.
 *
 *	piece	address		bytes		blocks at 0x1000	known
 *	f	0x1000		41 11 ..	7: 41 11		6
 *	g	0x1000		19 71 ..	9: 19 71		8
 *
 * Block 7 is of f and block 9 of g. Where several pieces have the bytes of a block, it is of
 * the earliest: block ids are given when code is first translated, and it keeps its id. A
 * list without bytes (a map for perf) has no moments: all its pieces are there from the
 * beginning, and of two at one address the later one counts.
 *
 * Invariant: reach[i] is the greatest end of the pieces order[0] to order[i], so a walk back
 * from an address ends where no earlier piece can hold it.
 */
#include "program/made/made.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"

/*
 * Pieces that are looked at for one block: a list that is made to attack may have one over
 * all others.
 */
enum { OVER_MAX = 4096 };

void made_fini(struct made *made)
{
	free(made->pieces);
	free(made->lines);
	free(made->calls);
	buf_fini(&made->texts);
	*made = MADE_INIT;
}

bool made_text(struct made *made, const char *from, size_t bytes, uint32_t *text)
{
	size_t length = strnlen(from, bytes), last = made->last;

	/* Lines of one file come one after the other. */
	if (made->texts.len && made->texts.len - last == length + 1 &&
	    !memcmp(made->texts.data + last, from, length)) {
		*text = made->last;
		return true;
	}
	if (made->texts.len > UINT32_MAX - length - 1)
		return false;
	*text = made->last = (uint32_t)made->texts.len;
	buf_put(&made->texts, from, length);
	buf_put_u8(&made->texts, 0);
	return !made->texts.failed;
}

/* ---- pieces by address --------------------------------------------------- */

struct index {
	struct made *made;
	const char *text;
	uint32_t *order; /* [made->n] numbers of pieces, by start */
	uint64_t *reach; /* [made->n] */
};

static int by_start(const void *a, const void *b, void *cookie)
{
	const struct made_piece *pieces = cookie;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (pieces[x].start != pieces[y].start)
		return pieces[x].start < pieces[y].start ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool index_make(struct index *index, struct made *made, const char *text)
{
	uint64_t reach = 0;

	*index = (struct index){ made, text, calloc(made->n + 1ul, sizeof(uint32_t)),
				 calloc(made->n + 1ul, sizeof(uint64_t)) };
	if (!index->order || !index->reach)
		return false;
	for (uint32_t i = 0; i < made->n; i++)
		index->order[i] = i;
	if (made->n)
		qsort_r(index->order, made->n, sizeof(uint32_t), by_start, made->pieces);
	for (uint32_t i = 0; i < made->n; i++) {
		uint64_t end = made->pieces[index->order[i]].end;

		index->reach[i] = reach = end > reach ? end : reach;
	}
	return true;
}

/* ---- whose a block is ---------------------------------------------------- */

/* A block may go on behind the piece. */
static bool has_code(const struct index *index, const struct made_piece *piece,
		     const struct made_block *block)
{
	uint64_t left = piece->end - block->address;

	return !memcmp(index->text + piece->code + (block->address - piece->start),
		       block->code, left < block->bytes ? left : block->bytes);
}

static const char *name_of(const struct made *made, uint32_t piece)
{
	return (const char *)made->texts.data + made->pieces[piece].name;
}

/* The pieces that a block may be of; the number of pieces stands for none. */
struct owners {
	uint32_t first; /* of those that have its bytes */
	uint32_t last;	/* of those whose bytes are not known */
	bool shared;	/* several have its bytes, with several names */
};

static void consider(const struct index *index, const struct made_block *block,
		     uint32_t number, struct owners *owners)
{
	const struct made_piece *piece = &index->made->pieces[number];
	uint32_t n = index->made->n, other = owners->first;

	if (piece->end <= block->address)
		return;
	if (piece->code == MADE_NO_CODE && (owners->last == n || number > owners->last))
		owners->last = number;
	if (piece->code == MADE_NO_CODE || !has_code(index, piece, block))
		return;
	if (other < n &&
	    strcmp(name_of(index->made, other), name_of(index->made, number)) != 0)
		owners->shared = true;
	if (number < other)
		owners->first = number;
}

/* Ids ascend, so the first block that is found is the piece's first. */
static void mark(struct made_piece *piece, uint32_t known)
{
	if (!piece->ran)
		piece->known = known;
	piece->ran = true;
}

static void settle_block(const struct index *index, const struct made_block *block)
{
	struct made *made = index->made;
	struct owners owners = { made->n, made->n, false };
	size_t at =
		BISECT(made->n, i, made->pieces[index->order[i]].start <= block->address);

	for (unsigned n = 0; n < OVER_MAX && at-- > 0; n++) {
		if (index->reach[at] <= block->address)
			break;
		consider(index, block, index->order[at], &owners);
	}
	made->shared += owners.shared;
	if (owners.first < made->n)
		mark(&made->pieces[owners.first], block->id - 1);
	if (owners.last < made->n)
		mark(&made->pieces[owners.last], 0);
}

bool made_settle(struct made *made, const char *text,
		 bool (*next)(void *cookie, struct made_block *block), void *cookie)
{
	struct made_block block;
	struct index index;
	bool good = index_make(&index, made, text);

	while (good && next(cookie, &block))
		if (block.bytes)
			settle_block(&index, &block);
	free(index.order);
	free(index.reach);
	return good;
}
