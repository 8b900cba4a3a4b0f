// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A log repeats the text of a block each time QEMU translates it again, thousands of
 * times in a program that writes code. The lines themselves, address, bytes and
 * disassembly, are what tells one block from another, so they are interned as they
 * stand and only taken apart again when a block is held against the trace, once each.
 *
 * An instruction line of QEMU reads
 *	0x0000000000010584:  022000ef          jal                     ra,34
 * where the bytes are either one number, as of a RISC-V instruction in little-endian
 * order, or single bytes with blanks between them, as capstone prints them.
 */
#include "trace/logblocks.h"

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

/* Digits of a number, the most significant first, to bytes in memory order. */
static int number_code(struct loginsn *insn, const char *digits, size_t n)
{
	insn->bytes = (uint32_t)(n / 2);
	if (n % 2 || insn->bytes > sizeof(insn->code))
		return WM_E_FORMAT;
	for (uint32_t i = 0; i < insn->bytes; i++) {
		const char *two = digits + n - 2 * (i + 1);

		insn->code[i] = (uint8_t)(hex_value(two[0]) << 4 | hex_value(two[1]));
	}
	return 0;
}

/* "48 89 e7": groups of two digits, one blank apart. */
static const char *single_bytes(struct loginsn *insn, const char *at, const char *end)
{
	uint64_t byte;

	for (;;) {
		const char *next = hex_number(at, end, &byte);

		if (next - at != 2 || insn->bytes == sizeof(insn->code))
			return at;
		insn->code[insn->bytes++] = (uint8_t)byte;
		at = next;
		if (end - at < 3 || at[0] != ' ' || at[1] == ' ')
			return at;
		at++;
	}
}

static int parse_code(struct loginsn *insn, const char *at, const char *end)
{
	const char *stop = hex_span(at, end);

	if (stop - at == 2)
		stop = single_bytes(insn, at, end);
	else if (stop == at || number_code(insn, at, (size_t)(stop - at)))
		return WM_E_FORMAT;
	insn->disas = skip_blanks(stop, end);
	return 0;
}

int loginsn_next(const char **at, const char *end, struct loginsn *insn)
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
	return parse_code(insn, insn->text, insn->end);
}

/* The block the lines describe, but for its place among the texts. */
static int parse_lines(const char *lines, size_t bytes, struct logblock *block)
{
	const char *end = lines + bytes;
	struct loginsn insn;
	int got;

	*block = (struct logblock){ .text_bytes = (uint32_t)bytes };
	while ((got = loginsn_next(&lines, end, &insn)) == 0)
		if (block->insns++ == 0)
			block->address = insn.address;
	return got == WM_END && block->insns ? 0 : WM_E_FORMAT;
}

static int make_room(struct logblocks *blocks, size_t bytes)
{
	if (blocks->n == blocks->room) {
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
	/* Different lines of one hash lie at the numbers that follow it. */
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
