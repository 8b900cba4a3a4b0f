// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The path of a thread in the Common Trace Format, version 1.8.3, which babeltrace2 and Trace
 * Compass read: an archive of tar with a folder of two files, `metadata`, which describes the
 * events, and `thread_N`, which has them. The clock counts instructions of the thread, a
 * nanosecond each, so times are positions.
 *
 * A stream is packets of about 64 KiB, little-endian:
 *
 *	magic:32 stream:32 begin:64 end:64 content:64 packet:64	a header of 40 bytes;
 *								sizes in bits
 *	0:8 time:64 address:64 insns:32 "function"		a block
 *	1:8 time:64						code that was not recorded
 *
 * An archive says how long a file is before it begins, so all of it is in memory before it is
 * written; there is a limit to the number of blocks.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "export/block_format.h"
#include "out/tar.h"
#include "program/demangle.h"

enum { PACKET_BYTES = 64 << 10, HEADER_BYTES = 2 * 4 + 4 * 8, BLOCKS_MOST = 2000000 };
enum { EVENT_BLOCK = 0, EVENT_GAP = 1 };
#define CTF_MAGIC 0xc1fc1fc1

struct writer {
	struct block_path *path;
	struct buf file;    /* the stream */
	size_t packet;	    /* where the open one begins; file.len: none is open */
	uint64_t last_insn; /* of the last event */
	/* The symbol of the last block that has one, and its name; NULL: none yet. */
	const char *symbol;
	char *name;
};

static const char metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := "
	"address_t;\n"
	"trace {\n"
	"	major = 1;\n"
	"	minor = 8;\n"
	"	byte_order = le;\n"
	"	packet.header := struct { uint32_t magic; uint32_t stream_id; };\n"
	"};\n"
	"env { tracer_name = \"waymark\"; tracer_version = \"" WAYMARK_VERSION "\"; };\n"
	"clock {\n"
	"	name = insns;\n"
	"	description = \"instructions of the thread, a nanosecond each\";\n"
	"	freq = 1000000000;\n"
	"};\n"
	"typealias integer { size = 64; align = 8; signed = false; map = "
	"clock.insns.value; } := insns_t;\n"
	"stream {\n"
	"	id = 0;\n"
	"	packet.context := struct {\n"
	"		insns_t timestamp_begin;\n"
	"		insns_t timestamp_end;\n"
	"		uint64_t content_size;\n"
	"		uint64_t packet_size;\n"
	"	};\n"
	"	event.header := struct { uint8_t id; insns_t timestamp; };\n"
	"};\n"
	"event {\n"
	"	name = \"block\";\n"
	"	id = 0;\n"
	"	stream_id = 0;\n"
	"	fields := struct { address_t address; uint32_t insns; string function; };\n"
	"};\n"
	"event {\n"
	"	name = \"gap\";\n"
	"	id = 1;\n"
	"	stream_id = 0;\n"
	"};\n";

/* ---- packets ---------------------------------------------------------------------------- */

/* Fills in what is known of a packet when it is complete. */
static void end_packet(struct writer *writer)
{
	uint64_t bits = 8 * (uint64_t)(writer->file.len - writer->packet);
	uint8_t *at = writer->file.data + writer->packet + 16;

	if (writer->packet == writer->file.len || writer->file.failed)
		return;
	at = put_u64(at, writer->last_insn);
	at = put_u64(at, bits);
	put_u64(at, bits);
	writer->packet = writer->file.len;
}

static void begin_event(struct writer *writer, uint8_t id, uint64_t insn)
{
	struct buf *file = &writer->file;

	if (file->len - writer->packet >= PACKET_BYTES)
		end_packet(writer);
	if (writer->packet == file->len) {
		buf_put_u32(file, CTF_MAGIC);
		buf_put_u32(file, 0);
		buf_put_u64(file, insn);
		for (unsigned i = 0; i < 3; i++)
			buf_put_u64(file, 0);
	}
	writer->last_insn = insn;
	buf_put_u8(file, id);
	buf_put_u64(file, insn);
}

/* ---- events ----------------------------------------------------------------------------- */

/* Not "": babeltrace2 2.0 shows the string of an event before it instead. */
static const char unknown[] = "[unknown]";

/*
 * The source's name of a symbol, up to the next call. Blocks that follow each other are often
 * of one function, so the last name is kept.
 */
static const char *name_of(struct writer *writer, const char *symbol)
{
	if (symbol != writer->symbol) {
		free(writer->name);
		writer->name = demangle(symbol);
		writer->symbol = symbol;
	}
	return writer->name ? writer->name : symbol;
}

static void put_block(struct writer *writer, const struct wm_step *step,
		      const struct wm_block *block)
{
	struct symbol symbol = { .name = NULL };
	const char *name;

	symbols_find(writer->path->symbols, step->space, block->address, step->id,
		     &symbol);
	name = symbol.name ? name_of(writer, symbol.name) : unknown;
	begin_event(writer, EVENT_BLOCK, step->insn_ordinal);
	buf_put_u64(&writer->file, block->address);
	buf_put_u32(&writer->file, step->insns);
	buf_put(&writer->file, name, strlen(name) + 1);
}

/* Whether there is a place for one more block; what is left out is said. */
static bool has_place(struct block_path *path, uint64_t n)
{
	if (n == BLOCKS_MOST && n < path->count)
		path->cut = BLOCKS_MOST;
	return n < path->count && !path->cut;
}

static int walk(struct writer *writer, struct wm_cursor *cursor, struct wm_error *err)
{
	struct block_path *path = writer->path;
	struct wm_block block;
	struct wm_step step;
	uint64_t n = 0;
	int ret;

	while (!(ret = wm_cursor_next_block(cursor, &step, err))) {
		/* A gap takes less room than the block before it. */
		if (step.block_ordinal >= path->to ||
		    (step.insns && !has_place(path, n++)))
			break;
		if (!step.insns)
			begin_event(writer, EVENT_GAP, step.insn_ordinal);
		else if (!wm_trace_block(path->trace, step.id, &block))
			put_block(writer, &step, &block);
		if (writer->file.failed)
			return wm_fail_nomem(err, "a stream of events");
	}
	end_packet(writer);
	return ret == WM_END ? 0 : ret;
}

static void put_archive(FILE *out, struct writer *writer)
{
	struct buf text = BUF_INIT;
	char name[32];

	buf_put(&text, metadata, sizeof(metadata) - 1);
	writer->file.failed |= text.failed;
	if (!text.failed)
		tar_put(out, "ctf/metadata", &text);
	buf_fini(&text);
	snprintf(name, sizeof(name), "ctf/thread_%u", writer->path->thread);
	tar_put(out, name, &writer->file);
	tar_end(out);
}

static int write_all(FILE *out, struct block_path *path, struct wm_error *err)
{
	struct writer writer = { .path = path };
	struct wm_cursor *cursor = NULL;
	int ret = wm_cursor_new(&cursor, path->trace, path->thread, err);

	if (!ret && path->from)
		ret = wm_cursor_seek_block(cursor, path->from, err);
	if (!ret)
		ret = walk(&writer, cursor, err);
	if (!ret)
		put_archive(out, &writer);
	if (!ret && writer.file.failed)
		ret = wm_fail_nomem(err, "a stream of events");
	wm_cursor_free(cursor);
	buf_fini(&writer.file);
	free(writer.name);
	return ret;
}

const struct block_format block_ctf = {
	.line = { .format = { "ctf", FORMAT_BLOCKS, "tar",
			      "the Common Trace Format, in an archive of tar",
			      .binary = true } },
	.write = write_all,
};
