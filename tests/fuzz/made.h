/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every list of generated code must be, whatever bytes it was read from. */
#ifndef TESTS_MADE_H
#define TESTS_MADE_H

#include "fuzz.h"
#include "program/made/list.h"

/* The input's own bytes as blocks: some are code of the list. */
struct made_input {
	const uint8_t *data;
	size_t bytes;
	const struct made *made;
	uint32_t id;
};

static inline bool next_block(void *cookie, struct made_block *block)
{
	struct made_input *input = cookie;
	const struct made_piece *piece;
	uint32_t i = input->id++;

	if (i >= input->made->n)
		return false;
	piece = &input->made->pieces[i];
	*block = (struct made_block){ piece->start, input->data, 1, i + 1 };
	if (piece->code != MADE_NO_CODE)
		block->code = input->data + piece->code;
	return true;
}

static inline void check_made(struct made *made, const uint8_t *data, size_t bytes)
{
	struct made_input input = { data, bytes, made, 0 };

	for (uint32_t i = 0; i < made->n; i++) {
		const struct made_piece *piece = &made->pieces[i];
		uint64_t size = piece->end - piece->start;

		MUST(piece->start < piece->end);
		MUST(piece->name < made->texts.len);
		MUST(piece->code == MADE_NO_CODE ||
		     (piece->code < bytes && size <= bytes - piece->code));
		MUST(piece->line + (uint64_t)piece->lines <= made->n_lines);
	}
	for (uint32_t i = 0; i < made->n_lines; i++)
		MUST(made->lines[i].file < made->texts.len);
	MUST(!made->texts.len || !made->texts.data[made->texts.len - 1]);
	MUST(made_settle(made, (const char *)data, next_block, &input));
	for (uint32_t i = 0; i < made->n; i++)
		MUST(!made->pieces[i].ran || made->pieces[i].known < made->n);
}

#endif
