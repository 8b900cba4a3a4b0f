// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The distinct blocks of a QEMU log, by the text of their instructions.
 *
 * A log repeats the text of a block each time QEMU translates it again, thousands of
 * times in a program that writes code. The lines themselves (address, bytes, disassembly)
 * identify a block, so they are interned as they are. They are parsed to find the block's
 * extent, and again when a block is compared with the trace, once each.
 *
 * An instruction line of QEMU reads
 *	0x0000000000010584:  022000ef          jal                     ra,34
 *	0x00010390:  f04f 0b00  mov.w    fp, #0
 *	0x0043bfb5:  48 8d 05 94 55 fc ff     leaq     -0x3aa6c(%rip), %rax
 * The bytes are one or more little-endian numbers of equal width, one blank apart: the
 * units of the guest's code. So 022000ef is the bytes ef 00 20 02. An instruction of more
 * than eight bytes continues in a second line without disassembly.
 */
#include "trace/logblocks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "trace/hex.h"

int logblocks_init(struct logblocks *blocks)
{
	*blocks = (struct logblocks){ 0 };
	return u64map_init(&blocks->ids);
}

void logblocks_fini(struct logblocks *blocks)
{
	free(blocks->all);
	free(blocks->text);
	u64map_fini(&blocks->ids);
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/*
 * Appends the bytes of one number in memory order; the digits are most significant first.
 */
static int number_code(struct loginsn *insn, const char *digits, size_t n)
{
	if (n % 2 || n / 2 > sizeof(insn->code) - insn->bytes)
		return WM_E_FORMAT;
	for (; n; n -= 2)
		insn->code[insn->bytes++] = (uint8_t)(hex_value(digits[n - 2]) << 4 |
						      hex_value(digits[n - 1]));
	return 0;
}

/* Appends the bytes at `at`; *stop is the position after them. */
static int parse_code(struct loginsn *insn, const char *at, const char *end,
		      const char **stop)
{
	size_t width = (size_t)(hex_span(at, end) - at);

	for (;; at++) {
		*stop = hex_span(at, end);
		if (!width || number_code(insn, at, width))
			return WM_E_FORMAT;
		at = *stop;
		/*
		 * Only a number of the same width continues the code: a mnemonic such as
		 * "add" has hexadecimal digits, too, but stands further away.
		 */
		if (end - at <= (ptrdiff_t)width || *at != ' ' ||
		    hex_span(at + 1, end) - (at + 1) != (ptrdiff_t)width)
			return 0;
	}
}

/* Whether it is the line that QEMU prints for a block for which it read no code. */
static bool is_unreadable(const struct loginsn *insn)
{
	static const char words[] = "unable to read memory";

	return (size_t)(insn->end - insn->text) == sizeof(words) - 1 &&
	       !memcmp(insn->text, words, sizeof(words) - 1);
}

/* Splits the line at *at into its parts and moves *at after it. */
static int parse_line(const char **at, const char *end, struct loginsn *insn)
{
	const char *line = *at, *stop;

	if (line == end)
		return WM_END;
	insn->end = memchr(line, '\n', (size_t)(end - line));
	if (!insn->end || insn->end - line < 4 || line[0] != '0' || line[1] != 'x')
		return WM_E_FORMAT;
	*at = insn->end + 1;
	stop = hex_number(line + 2, insn->end, &insn->address);
	if (stop == line + 2 || stop == insn->end || *stop != ':')
		return WM_E_FORMAT;
	insn->bytes = 0;
	insn->text = skip_blanks(stop + 1, insn->end);
	while (insn->end > insn->text && (insn->end[-1] == ' ' || insn->end[-1] == '\r'))
		insn->end--;
	insn->disas = insn->end;
	if (is_unreadable(insn))
		return 0;
	if (parse_code(insn, insn->text, insn->end, &stop))
		return WM_E_FORMAT;
	insn->disas = skip_blanks(stop, insn->end);
	return 0;
}

/*
 * Appends the bytes of continuation lines, which have no disassembly and the next
 * address.
 */
static void parse_more(const char **at, const char *end, struct loginsn *insn)
{
	struct loginsn more;

	for (const char *next = *at; parse_line(&next, end, &more) == 0; *at = next) {
		if (more.disas != more.end || insn->disas == insn->end || !more.bytes ||
		    more.address != insn->address + insn->bytes ||
		    more.bytes > sizeof(insn->code) - insn->bytes)
			return;
		memcpy(insn->code + insn->bytes, more.code, more.bytes);
		insn->bytes += more.bytes;
	}
}

int loginsn_next(const char **at, const char *end, struct loginsn *insn)
{
	int ret = parse_line(at, end, insn);

	if (!ret)
		parse_more(at, end, insn);
	return ret;
}

/* The block that the lines describe, without text_off. */
static int parse_lines(const char *lines, size_t bytes, struct logblock *block)
{
	const char *end = lines + bytes;
	struct loginsn insn;
	int got;

	*block = (struct logblock){ .text_bytes = (uint32_t)bytes };
	while ((got = loginsn_next(&lines, end, &insn)) == 0) {
		if (block->insns++ == 0)
			block->address = insn.address;
		block->bytes += insn.bytes;
	}
	return got == WM_END && block->insns ? 0 : WM_E_FORMAT;
}

static int make_room(struct logblocks *blocks, size_t bytes)
{
	if (blocks->n == blocks->room) {
		/* NULL for a size that overflowed, as for no memory. */
		uint32_t room = blocks->room ? blocks->room * 2 : 1024;
		void *all = room > blocks->room ?
				    realloc(blocks->all, room * sizeof(*blocks->all)) :
				    NULL;

		if (!all)
			return WM_E_NOMEM;
		blocks->all = all;
		blocks->room = room;
	}
	if (blocks->text_room - blocks->text_bytes < bytes) {
		size_t room = blocks->text_room * 2 + bytes + 65536;
		char *text = realloc(blocks->text, room);

		if (!text)
			return WM_E_NOMEM;
		blocks->text = text;
		blocks->text_room = room;
	}
	return 0;
}

static int add(struct logblocks *blocks, const char *lines, size_t bytes, uint32_t *id)
{
	struct logblock block;
	/* Parsed first: a text that cannot be read is never stored. */
	int ret = parse_lines(lines, bytes, &block);

	if (!ret)
		ret = make_room(blocks, bytes);
	if (ret)
		return ret;
	block.text_off = blocks->text_bytes;
	memcpy(blocks->text + blocks->text_bytes, lines, bytes);
	blocks->text_bytes += bytes;
	blocks->all[blocks->n] = block;
	*id = ++blocks->n;
	return 0;
}

static bool same_lines(const struct logblocks *blocks, uint32_t id, const char *lines,
		       size_t bytes)
{
	const struct logblock *block = logblocks_at(blocks, id);

	return block->text_bytes == bytes &&
	       !memcmp(blocks->text + block->text_off, lines, bytes);
}

int logblocks_intern(struct logblocks *blocks, const char *lines, size_t bytes,
		     uint32_t *id)
{
	uint64_t hash = XXH3_64bits(lines, bytes);
	uint32_t *place;
	int ret;

	if (bytes > UINT32_MAX)
		return WM_E_FORMAT;
	/*
	 * Different lines with the same hash are at the numbers after it. Nothing is ever
	 * removed, so the search can end at the first free number.
	 */
	for (;; hash++) {
		*id = u64map_get(&blocks->ids, hash);
		if (!*id)
			break;
		if (same_lines(blocks, *id, lines, bytes))
			return 0;
	}
	ret = add(blocks, lines, bytes, id);
	if (ret)
		return ret;
	place = u64map_at(&blocks->ids, hash);
	if (!place)
		return WM_E_NOMEM;
	*place = *id;
	return 0;
}
