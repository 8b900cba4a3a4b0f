// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values of a log as words of 32 bits, in a spool of their own (logspool.h):
 *
 *	bits 0 to 2	kind: enum wm_access_kind; 7: not known what the instruction did
 *	bits 3 to 5	log2 of the size plus 1; 0: unknown
 *	bit 6		data follow
 *	bits 8 to 31	step of the position; all ones: it follows as two words
 *
 * and then the address or the number of the register, and the data, of two words each, the
 * low one first. Example: a store of 0x1122, two bytes at 0x80001000, by the instruction
 * after the one before, is 00000151 80001000 00000000 00001122 00000000.
 *
 * That is less than the line of the log that it comes from. No value of a log has more than
 * 64 bits.
 */
#include "trace/logvalues.h"

enum { UNKNOWN = 7, HAS_DATA = 1 << 6 };
#define STEP_FAR 0xffffffu

void logvalues_fini(struct logvalues *values)
{
	logspool_free(values->spool);
	values->spool = NULL;
}

/* ---- to write --------------------------------------------------------------------------- */

static int put(struct logvalues *values, unsigned cpu, uint64_t number,
	       struct wm_error *err)
{
	int ret = logspool_add(values->spool, cpu, (uint32_t)number, err);

	return ret ? ret :
		     logspool_add(values->spool, cpu, (uint32_t)(number >> 32), err);
}

static uint32_t size_code(uint8_t size)
{
	return size ? (uint32_t)__builtin_ctz(size) + 1 : 0;
}

int logvalues_add(struct logvalues *values, unsigned cpu, uint64_t position,
		  const struct wm_access *access, struct wm_error *err)
{
	uint64_t step = position - values->last[cpu];
	uint32_t word = access ? access->kind | size_code(access->size) << 3 : UNKNOWN;
	int ret = values->spool ? 0 : logspool_new(&values->spool, err);

	if (ret)
		return ret;
	word |= access && access->has_data ? HAS_DATA : 0;
	word |= (uint32_t)(step < STEP_FAR ? step : STEP_FAR) << 8;
	ret = logspool_add(values->spool, cpu, word, err);
	if (!ret && step >= STEP_FAR)
		ret = put(values, cpu, step, err);
	if (!ret && access)
		ret = put(values, cpu, access->address, err);
	if (!ret && access && access->has_data)
		ret = put(values, cpu, access->data[0], err);
	values->last[cpu] = position;
	if (access)
		values->has |= 1u << access->kind;
	return ret;
}

/* ---- to read ---------------------------------------------------------------------------- */

void logvalues_reader_init(struct logvalues_reader *reader,
			   const struct logvalues *values, unsigned cpu)
{
	reader->position = 0;
	logspool_reader_init(&reader->words, values->spool, cpu);
}

static int get(struct logvalues_reader *reader, uint64_t *number, struct wm_error *err)
{
	uint32_t low = 0, high = 0;
	int ret = logspool_next(&reader->words, &low, err);

	if (!ret)
		ret = logspool_next(&reader->words, &high, err);
	*number = (uint64_t)high << 32 | low;
	return ret;
}

int logvalues_next(struct logvalues_reader *reader, struct logvalue *value,
		   struct wm_error *err)
{
	struct wm_access *access = &value->access;
	uint32_t word, size;
	uint64_t step;
	int ret = logspool_next(&reader->words, &word, err);

	if (ret)
		return ret;
	step = word >> 8;
	size = word >> 3 & 7;
	value->unknown = (word & 7) == UNKNOWN;
	*access = (struct wm_access){ .kind = word & 7,
				      .size = (uint8_t)(size ? 1u << (size - 1) : 0),
				      .has_data = word & HAS_DATA };
	if (step == STEP_FAR)
		ret = get(reader, &step, err);
	if (!ret && !value->unknown)
		ret = get(reader, &access->address, err);
	if (!ret && access->has_data)
		ret = get(reader, &access->data[0], err);
	reader->position += step;
	value->position = reader->position;
	return ret;
}
