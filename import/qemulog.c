// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks of QEMU's log become blocks of the file, under ids of its own: the log may have
 * the same code under several texts, when symbols were loaded in between.
 *
 * A block that QEMU read no code for (an address that is not mapped, where it raised a
 * fault) has one instruction without bytes. RISC-V has no such block in a file: it is
 * left out, as the recorder does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/blocks.h"
#include "import/log.h"
#include "trace/qemulog-data.h"

enum { TEXT_BYTES = 256 };

/*
 * The block of a text; false when it has no instruction, or too many. `sizes` and `code`
 * are the caller's memory, which the block points to.
 */
static bool read_block(const struct logblocks *blocks, uint32_t id, uint8_t *sizes,
		       uint8_t *code, struct wm_block *block)
{
	const struct logblock *text = logblocks_at(blocks, id);
	const char *at = blocks->text + text->text_off, *end = at + text->text_bytes;
	struct loginsn insn;

	*block = (struct wm_block){ text->address, 0, 0, sizes, code };
	while (loginsn_next(&at, end, &insn) == 0) {
		if (block->insns == BLOCK_INSNS_MAX)
			return false;
		memcpy(code + block->bytes, insn.code, insn.bytes);
		sizes[block->insns++] = (uint8_t)insn.bytes;
		block->bytes += insn.bytes;
	}
	return block->insns;
}

/* QEMU's log pads a mnemonic with blanks, of which its own text has one. */
static void copy_text(const struct loginsn *insn, char text[TEXT_BYTES])
{
	size_t most = (size_t)(insn->end - insn->disas),
	       word = strcspn(insn->disas, " \t\n"), at;

	word = word < most ? word : most;
	for (at = word; at < most && insn->disas[at] == ' ';)
		at++;
	snprintf(text, TEXT_BYTES, "%.*s %.*s", (int)word, insn->disas, (int)(most - at),
		 insn->disas + at);
}

/* What readers cannot tell by the bytes alone. */
static int put_texts(struct import_file *file, const struct logblocks *blocks,
		     uint32_t id, struct wm_error *err)
{
	const struct logblock *lines = logblocks_at(blocks, id);
	const char *at = blocks->text + lines->text_off, *end = at + lines->text_bytes;
	char text[TEXT_BYTES];
	struct loginsn insn;
	int ret = 0;

	while (!ret && loginsn_next(&at, end, &insn) == 0) {
		copy_text(&insn, text);
		ret = import_file_text(file, insn.address, insn.code, (uint8_t)insn.bytes,
				       text, err);
	}
	return ret;
}

/* Fills in ids[], the file's id of each block of the log; 0: the block has no code. */
static int define(struct import_file *file, const struct logblocks *blocks, uint32_t *ids,
		  struct wm_error *err)
{
	uint8_t sizes[BLOCK_INSNS_MAX], code[BLOCK_INSNS_MAX * 16];
	struct wm_block block;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < blocks->n; i++) {
		if (!read_block(blocks, i + 1, sizes, code, &block))
			return wm_fail(err, WM_E_FORMAT, 0,
				       "the log has a block of too many instructions");
		/*
		 * No code: QEMU's fault block, whose id stays 0 and which import_cpu()
		 * skips.
		 */
		if (!block.bytes)
			continue;
		if (import_file_needs_texts(file, &block))
			ret = put_texts(file, blocks, i + 1, err);
		if (!ret)
			ret = import_file_block(file, &block, &ids[i], err);
	}
	return ret;
}

static int import_cpu(struct import_file *file, const struct qemulog *log, unsigned cpu,
		      const uint32_t *ids, struct wm_error *err)
{
	struct logspool_reader *reader = malloc(sizeof(*reader));
	uint32_t id;
	int ret;

	if (!reader)
		return wm_fail_nomem(err, "reading a log");
	logspool_reader_init(reader, log->spool, cpu);
	while (!(ret = logspool_next(reader, &id, err)))
		if (ids[id - 1] && (ret = import_file_enter(file, ids[id - 1], err)))
			break;
	free(reader);
	return ret == WM_END ? 0 : ret;
}

int import_qemulog(struct import_file *file, const struct qemulog *log,
		   struct wm_error *err)
{
	uint32_t *ids;
	int ret;

	/* The blocks between its lines are not known, and the path would seem whole. */
	if (log->chained)
		return wm_fail(err, WM_E_FORMAT, 0,
			       "the log was made without nochain, so it misses blocks; "
			       "make it with -d in_asm,exec,nochain");
	ids = calloc(log->blocks.n + 1ul, sizeof(*ids));
	ret = ids ? define(file, &log->blocks, ids, err) :
		    wm_fail_nomem(err, "reading a log");

	for (unsigned cpu = 0; !ret && cpu < log->cpus; cpu++) {
		if (!logspool_length(log->spool, cpu))
			continue;
		ret = import_file_stream(file, cpu, 0, err);
		if (!ret)
			ret = import_cpu(file, log, cpu, ids, err);
	}
	free(ids);
	return ret;
}
