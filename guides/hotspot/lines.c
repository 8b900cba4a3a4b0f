// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Behind a ConstMethod is its bytecode, then its lines, compressed. Its other tables lie
 * before the end of the object, each with its number of entries behind it, so they are
 * found from the end; flags say which are there.
 *
 *	| head | bytecode | lines | ... | handlers n | checked n | parameters n |
 *							   signature | annotations |
 *
 * Example of lines: byte 0x2b is "5 bytes on, 3 lines on"; 0xff is followed by two numbers
 * with signs; 0 ends the table.
 */
#include "guides/hotspot/lines.h"

#include <stddef.h>

#define WORD 8 /* bytes; HotSpot counts the size of a ConstMethod in words */

/* ---- lines --------------------------------------------------------------- */

/*
 * HotSpot's numbers of up to five bytes (its UNSIGNED5): from 192 on another byte follows, which
 * counts 64 times as much. The least byte stands for 0.
 */
static uint32_t get_number(struct lines *lines)
{
	uint32_t sum = 0;
	uint8_t byte;

	for (unsigned i = 0; i < 5; i++) {
		byte = *lines->at++;
		sum += (uint32_t)(byte - lines->least) << (6 * i);
		if (byte < 192)
			break;
	}
	return sum;
}

static int32_t get_signed(struct lines *lines)
{
	uint32_t number = get_number(lines);

	return (int32_t)(number >> 1 ^ -(number & 1));
}

void lines_begin(const struct vm *vm, struct lines *lines, const char *method)
{
	*lines = (struct lines){ .least = vm->least_byte };
	if (vm_u32(method, vm->const_flags) & vm->has_lines)
		lines->at = (const uint8_t *)method + vm->const_bytes +
			    vm_u16(method, vm->const_code_size);
}

bool lines_next(struct lines *lines)
{
	uint8_t byte = lines->at ? *lines->at++ : 0;

	if (!byte) {
		lines->at = NULL;
		return false;
	}
	if (byte == 0xff) {
		lines->offset += get_signed(lines);
		lines->line += get_signed(lines);
	} else {
		lines->offset += byte >> 3;
		lines->line += byte & 7;
	}
	return true;
}

/* ---- handlers ------------------------------------------------------------ */

/* Going down from the end: *at is behind the table that is next. */
static uint16_t take_number(const char **at)
{
	*at -= sizeof(uint16_t);
	return vm_u16(*at, 0);
}

static void pass_table(const char **at, size_t entry)
{
	uint16_t n = take_number(at);

	*at -= n * entry;
}

const struct handler *handlers_of(const struct vm *vm, const char *method, uint16_t *n)
{
	uint32_t flags = vm_u32(method, vm->const_flags);
	const char *at = method + (uint64_t)vm_u32(method, vm->const_words) * WORD;

	*n = 0;
	if (!(flags & vm->has_handlers))
		return NULL;
	for (unsigned i = 0; i < 4; i++)
		if (flags & vm->has_annotations[i])
			at -= sizeof(void *);
	if (flags & vm->has_signature)
		at -= sizeof(uint16_t);
	if (flags & vm->has_parameters)
		pass_table(&at, 2 * sizeof(uint16_t));
	if (flags & vm->has_checked)
		pass_table(&at, sizeof(uint16_t));
	*n = take_number(&at);
	return (const struct handler *)(const void *)(at - *n * sizeof(struct handler));
}
