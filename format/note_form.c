// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What readers need of a note is taken in `managed`, each number where it goes. Here nothing is
 * kept: a note is passed over entry by entry, and the span fails at the first that is wrong.
 *
 * Invariant: what is formed is refused by none of them (tests/fuzz/fuzz_units.c).
 */
#include "format/note_form.h"

#include "format/note.h"

static void pass_number(struct span *span, uint64_t most)
{
	span->failed |= span_varint(span) > most;
}

static void pass_bytes(struct span *span, uint64_t bytes)
{
	span->failed |= bytes > span_left(span);
	if (!span->failed)
		span_bytes(span, bytes);
}

static void pass_string(struct span *span)
{
	pass_bytes(span, span_varint(span));
}

/* Adds what follows to a number, which stays one of 32 bits. */
static void pass_step(struct span *span, uint64_t *number)
{
	*number += (uint64_t)unzigzag(span_varint(span));
	span->failed |= *number > UINT32_MAX;
}

/* ---- units --------------------------------------------------------------- */

static void pass_lines(struct span *span)
{
	uint32_t n = span_count(span, UINT32_MAX, 2);
	uint64_t offset = 0, line = 0;

	for (uint32_t i = 0; i < n && !span->failed; i++) {
		pass_step(span, &offset);
		pass_step(span, &line);
	}
}

static void pass_handlers(struct span *span)
{
	uint32_t n = span_count(span, UINT32_MAX, 3);

	for (uint64_t i = 0; i < UINT64_C(3) * n && !span->failed; i++)
		pass_number(span, UINT32_MAX);
}

static void pass_unit(struct span *span)
{
	uint64_t start = span_varint(span), bytes = span_varint(span);

	for (int i = 0; i < 3; i++) /* name, detail, file */
		pass_string(span);
	pass_lines(span);
	pass_handlers(span);
	span->failed |= bytes > UINT32_MAX || start + bytes < start;
	pass_bytes(span, bytes);
}

/* ---- the interpreter ----------------------------------------------------- */

static void pass_site(struct span *span)
{
	span_varint(span);
}

static void pass_piece(struct span *span)
{
	for (int i = 0; i < 3; i++) /* start, bytes, opcode */
		span_varint(span);
	pass_string(span);
}

/* ---- classes ------------------------------------------------------------- */

static void pass_method(struct span *span)
{
	pass_number(span, UINT32_MAX);
	if (span_varint(span))
		return;
	pass_number(span, UINT16_MAX);
	pass_number(span, UINT16_MAX);
}

static void pass_place(struct span *span)
{
	uint64_t class = span_varint(span);

	span->failed |= class > UINT16_MAX;
	if (!class)
		return;
	pass_number(span, UINT16_MAX);
	pass_number(span, UINT16_MAX);
}

/* Each has a number up to `most`, told as the step from that of the one before. */
static void pass_names(struct span *span, uint64_t most)
{
	uint32_t n = span_count(span, UINT32_MAX, 2);
	uint64_t number = 0;

	for (uint32_t i = 0; i < n && !span->failed; i++) {
		uint64_t step = span_varint(span);

		number += step <= most ? step : most + 1;
		span->failed |= number > most;
		pass_string(span);
	}
}

/* A table whose entries have `least` bytes. */
static void pass_table(struct span *span, size_t least, void (*pass)(struct span *))
{
	uint32_t n = span_count(span, UINT32_MAX, least);

	for (uint32_t i = 0; i < n && !span->failed; i++)
		pass(span);
}

static void pass_class(struct span *span)
{
	pass_string(span);
	pass_string(span);
	pass_number(span, UINT32_MAX);
	pass_table(span, 1, pass_string);
	pass_table(span, 2, pass_method);
	pass_table(span, 1, pass_place);
	pass_names(span, UINT16_MAX);
}

/* ---- operands ------------------------------------------------------------ */

static void pass_operand_table(struct span *span)
{
	pass_number(span, UINT32_MAX);
	pass_names(span, UINT32_MAX);
}

static void pass_operands(struct span *span)
{
	span_varint(span); /* the unit */
	pass_number(span, 1);
	pass_table(span, 2, pass_operand_table);
}

bool note_is_formed(uint32_t kind, struct span data)
{
	static void (*const passes[])(struct span *) = {
		[NOTE_UNIT] = pass_unit,	 [NOTE_SITES] = pass_site,
		[NOTE_DISPATCH] = pass_piece,	 [NOTE_CLASS] = pass_class,
		[NOTE_OPERANDS] = pass_operands, [NOTE_STEPS] = pass_site,
	};

	if (kind >= sizeof(passes) / sizeof(*passes) || !passes[kind])
		return true;
	while (span_left(&data) && !data.failed)
		passes[kind](&data);
	return !data.failed;
}
