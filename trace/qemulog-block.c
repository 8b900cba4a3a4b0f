// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One block of a QEMU log against one block of a trace: address, and of each instruction
 * address, bytes and text.
 *
 * Invariant: both sides stand at the same instruction, except in catch_up(). QEMU executes
 * instructions that its disassembler does not know; for these the log has ".byte" and wrong
 * boundaries. Example: the trace has an instruction of 4 bytes at 0x100, the log ".byte" of 2
 * bytes at 0x100 and another at 0x102. Both end at 0x104, so the bytes are compared up to
 * there, and texts again from there on.
 *
 * White space does not count: QEMU's columns differ between versions.
 */
#include "trace/qemulog-comparison.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { DISAS_BYTES = 512 };

void comparison_say(struct comparison *walk, const char *format, ...)
{
	char *text = walk->result->text;
	/* Appends; what does not fit is cut. */
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, sizeof(walk->result->text) - used, format, args);
	va_end(args);
}

int comparison_differs(struct comparison *walk)
{
	/* The most likely cause, and one that the user can remove. */
	if (walk->log->chained)
		comparison_say(walk,
			       ". The log was made without nochain, so it misses blocks");
	return QEMULOG_DIFFERS;
}

void comparison_say_place(struct comparison *walk)
{
	comparison_say(walk, "block %llu of CPU %u differs: ",
		       (unsigned long long)walk->ordinal, walk->cpu);
}

/*
 * Whether the texts are equal except for the amount of white space. `b` ends with a NUL.
 */
static bool same_words(const char *a, const char *end, const char *b)
{
	for (;;) {
		while (a < end && isspace((unsigned char)*a))
			a++;
		while (isspace((unsigned char)*b))
			b++;
		/* Both must end together. */
		if (a == end || !*b)
			return a == end && !*b;
		while (a < end && !isspace((unsigned char)*a))
			if (*a++ != *b++)
				return false;
		/* The word of `b` is longer. */
		if (*b && !isspace((unsigned char)*b))
			return false;
	}
}

/* The instructions of a block on both sides, and how far each side was read. */
struct pair {
	const char *line, *end; /* of the log: the unread part */
	struct loginsn log;

	uint32_t id, index; /* of the trace: the next instruction */
	const struct wm_block *block;
	uint64_t address;
	uint32_t bytes;
	const uint8_t *code;
	char disas[DISAS_BYTES];
};

static bool next_logged(struct pair *pair)
{
	return loginsn_next(&pair->line, pair->end, &pair->log) == 0;
}

/* The text has QEMU's errors, as the log has them. */
static bool next_traced(const struct comparison *walk, struct pair *pair)
{
	if (pair->index == pair->block->insns)
		return false;
	pair->address += pair->bytes;
	pair->code += pair->bytes;
	pair->bytes = pair->block->sizes[pair->index];
	wm_trace_disas_qemu(walk->trace, pair->id, pair->index++, pair->disas,
			    sizeof(pair->disas));
	return true;
}

static bool code_is_equal(const struct pair *pair)
{
	const struct loginsn *log = &pair->log;

	return log->address == pair->address && log->bytes == pair->bytes &&
	       !memcmp(log->code, pair->code, pair->bytes);
}

static bool insns_equal(const struct pair *pair)
{
	const struct loginsn *log = &pair->log;

	return code_is_equal(pair) && (same_words(log->disas, log->end, pair->disas) ||
				       same_words(log->text, log->end, pair->disas));
}

/*
 * Whether QEMU executes the instruction, but its disassembler prints ".byte": it does not
 * know the instruction or, in 10.x, did not see all of it at the end of what it reads at
 * a time.
 */
static bool is_unknown(const struct pair *pair)
{
	static const char word[] = ".byte";
	const struct loginsn *log = &pair->log;

	return log->address == pair->address &&
	       (size_t)(log->end - log->disas) >= sizeof(word) &&
	       !strncmp(log->disas, word, sizeof(word) - 1);
}

static bool logged_bytes_are_there(const struct pair *pair)
{
	/* Wraps around to a large number for an address before the block. */
	uint64_t off = pair->log.address - pair->block->address;

	return off <= pair->block->bytes && pair->log.bytes <= pair->block->bytes - off &&
	       !memcmp(pair->log.code, pair->block->code + off, pair->log.bytes);
}

/*
 * After such an instruction the log's boundaries are wrong. Continues until both sides
 * end at the same address again; up to there only the bytes are compared.
 */
static bool catch_up(struct comparison *walk, struct pair *pair)
{
	uint32_t first = pair->index;

	while (logged_bytes_are_there(pair)) {
		uint64_t logged = pair->log.address + pair->log.bytes;
		uint64_t traced = pair->address + pair->bytes;

		if (logged == traced) {
			walk->result->unread += pair->index - first + 1;
			return true;
		}
		if (logged < traced ? !next_logged(pair) : !next_traced(walk, pair))
			break;
	}
	return false;
}

static int insns_differ(struct comparison *walk, const struct pair *pair)
{
	comparison_say_place(walk);
	comparison_say(
		walk,
		"in its instruction %u the log has 0x%llx \"%.*s\", the trace 0x%llx \"",
		pair->index - 1, (unsigned long long)pair->log.address,
		(int)(pair->log.end - pair->log.text), pair->log.text,
		(unsigned long long)pair->address);
	for (uint32_t i = pair->bytes; i-- > 0;)
		comparison_say(walk, "%02x", pair->code[i]);
	comparison_say(walk, " %s\"", pair->disas);
	if (code_is_equal(pair))
		comparison_say(walk,
			       ": the code is equal, its text is not; QEMU and Waymark "
			       "may be built with different releases of Capstone");
	return comparison_differs(walk);
}

static int compare_insns(struct comparison *walk, struct pair *pair)
{
	while (next_traced(walk, pair)) {
		/*
		 * The text was parsed before, so a line that is missing was changed
		 * since.
		 */
		if (!next_logged(pair))
			return wm_fail(walk->err, WM_E_FORMAT, 0,
				       "a text of the log is gone");
		if (insns_equal(pair))
			continue;
		if (!is_unknown(pair) || !catch_up(walk, pair))
			return insns_differ(walk, pair);
	}
	return 0;
}

int comparison_places_differ(struct comparison *walk, const struct logblock *logged,
			     const struct wm_block *block)
{
	comparison_say_place(walk);
	comparison_say(
		walk,
		"the log has 0x%llx with %u instructions in %u bytes, the trace 0x%llx with "
		"%u in %u",
		(unsigned long long)logged->address, logged->insns, logged->bytes,
		(unsigned long long)block->address, block->insns, block->bytes);
	return comparison_differs(walk);
}

/* Moves the log's side to the instruction at `address`, the first one of a piece. */
static void skip_to(struct pair *pair, uint64_t address)
{
	struct loginsn insn;

	for (const char *at = pair->line;
	     loginsn_next(&at, pair->end, &insn) == 0 && insn.address != address;
	     pair->line = at)
		;
}

int comparison_block(struct comparison *walk, uint32_t log_id, uint32_t off, uint32_t id,
		     uint32_t *bytes)
{
	const struct logblock *logged = logblocks_at(&walk->log->blocks, log_id);
	const char *text = walk->log->blocks.text + logged->text_off;
	struct wm_block block;
	struct pair pair = { .line = text, .end = text + logged->text_bytes, .id = id };

	if (wm_trace_block(walk->trace, id, &block) != 0)
		return wm_fail(walk->err, WM_E_DAMAGED, 0,
			       "the trace enters block %u, which it does not have", id);
	*bytes = block.bytes ? block.bytes : logged->bytes;
	if (block.address == logged->address && !block.bytes)
		return 0;
	if (block.address != logged->address + off || block.bytes > logged->bytes - off)
		return comparison_places_differ(walk, logged, &block);
	pair.block = &block;
	pair.address = block.address;
	pair.code = block.code;
	skip_to(&pair, block.address);
	return compare_insns(walk, &pair);
}
