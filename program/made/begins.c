// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * C1 of HotSpot makes the code of a method bytecode by bytecode, and tells up to where the
 * code of each reaches. A bytecode begins where it has code first. Two things would be taken
 * for more beginnings:
 *
 * - A bytecode may have several rows: before and behind a call, and one at the end of the
 *   method for what is slow. It is one bytecode, whose frames are the same.
 * - What leaves the method, up to "ret", has no row of its own, so the row of the bytecode
 *   that comes behind it in memory reaches back over it. Nobody told what it is of.
 *
 * Example: "if (n < 2) return n; return fib(n - 1) + ...".
 *
 *	code				row		here
 *	0x00 addi, blt, mv		if_icmpge 2	if_icmpge 2, begins
 *	0x20 ld, addi, ret		invokestatic 10	nobody's
 *	0x30 mv, jal			invokestatic 10	invokestatic 10, begins
 *	0x40 nop			invokestatic 10	invokestatic 10
 */
#include "program/made/begins.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"

enum { RET = 0x00008067, C_RET = 0x8082 };

/* The row of a key. */
struct keyed {
	uint64_t key;
	uint32_t row;
};

static int compare_keyed(const void *one, const void *other)
{
	const struct keyed *a = one, *b = other;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* Those that are the first with their frames. */
static bool find_first(struct made_line *rows, uint32_t n, const uint64_t *keys)
{
	struct keyed *keyed = calloc(n, sizeof(*keyed));

	if (!keyed)
		return false;
	for (uint32_t i = 0; i < n; i++)
		keyed[i] = (struct keyed){ keys[i], i };
	qsort(keyed, n, sizeof(*keyed), compare_keyed);
	for (uint32_t i = 0; i < n; i++)
		rows[keyed[i].row].begins = !i || keyed[i].key != keyed[i - 1].key;
	free(keyed);
	return true;
}

static uint32_t word_at(const uint8_t *code, uint32_t bytes)
{
	uint32_t word = 0;

	for (uint32_t i = 0; i < bytes; i++)
		word |= (uint32_t)code[i] << 8 * i;
	return word;
}

/* How many of the bytes are up to the last "ret" that has code behind it. */
static uint64_t bytes_left(const uint8_t *code, uint64_t bytes)
{
	uint64_t left = 0, size;

	for (uint64_t at = 0; at + 2 <= bytes; at += size) {
		size = (code[at] & 3) == 3 ? 4 : 2;
		if (at + size < bytes &&
		    word_at(code + at, (uint32_t)size) == (size == 4 ? RET : C_RET))
			left = at + size;
	}
	return left;
}

/* Row i of n, and before it what its code begins with that is not its own. */
static bool put_row(struct made *made, const struct made_piece *piece,
		    const struct made_line *rows, uint32_t n, uint32_t i,
		    const uint8_t *code)
{
	struct made_line row = rows[i], before = { .address = row.address };
	uint64_t end = i + 1 < n ? rows[i + 1].address : piece->end;
	uint64_t left =
		bytes_left(code + (row.address - piece->start), end - row.address);

	if (left) {
		if (!APPEND(made->lines, made->n_lines, before))
			return false;
		row.address += left;
	}
	return APPEND(made->lines, made->n_lines, row);
}

bool begins_find(struct made *made, struct made_piece *piece, const uint64_t *keys,
		 const uint8_t *code)
{
	uint32_t n = piece->lines;
	struct made_line *rows = calloc(n + 1, sizeof(*rows));
	bool good = rows;

	if (good && n) {
		memcpy(rows, made->lines + piece->line, n * sizeof(*rows));
		good = find_first(rows, n, keys);
		made->n_lines = piece->line;
	}
	for (uint32_t i = 0; good && i < n; i++)
		good = put_row(made, piece, rows, n, i, code);
	piece->lines = made->n_lines - piece->line;
	free(rows);
	return good;
}
