// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of an instruction, kept once for all addresses at which the instruction
 * occurs.
 *
 * QEMU prints the target of a branch as an absolute address, so equal instructions have
 * different texts. Example: at 0x1000 "j 16 # 0x1010" is kept as "j 16 \1" and the zigzag
 * of 0x10 in hexadecimal, 20; at 0x2000 it becomes "j 16 # 0x2010" again.
 */
#include "format/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/blocks.h"

/* The code stays in the payload; only the string is copied. */
bool text_get(struct span *span, struct text_record *text)
{
	uint8_t size = span_u8(span);

	text->at_address = size & TEXT_AT_ADDRESS;
	text->size = size & (TEXT_AT_ADDRESS - 1);
	text->address = text->at_address ? span_u64(span) : 0;
	text->code = span_bytes(span, text->size);
	text->text = span_string(span);
	return text->text && text->size && text->size <= INSN_BYTES_MAX;
}

void text_make_relative(char *text, size_t size, uint64_t address)
{
	char *mark = strstr(text, "# 0x");
	char *end;
	uint64_t target;

	if (!mark)
		return;
	target = strtoull(mark + 4, &end, 16);
	if (*end || end == mark + 4) /* only a number at the end of the text */
		return;
	/* The result can be longer than the original; snprintf() cuts it at `size`. */
	snprintf(mark, size - (size_t)(mark - text), "%c%" PRIx64, TEXT_RELATIVE,
		 zigzag((int64_t)(target - address)));
}

int text_at(const char *kept, uint64_t address, char *text, size_t size)
{
	const char *mark = strchr(kept, TEXT_RELATIVE);
	uint64_t distance;

	if (!mark)
		return snprintf(text, size, "%s", kept);
	distance = (uint64_t)unzigzag(strtoull(mark + 1, NULL, 16));
	return snprintf(text, size, "%.*s# 0x%" PRIx64, (int)(mark - kept), kept,
			address + distance);
}
