// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a .wmk file from a record that is complete. It does what the collector does for
 * a running guest, but without shared memory, a pool of encoders, or blocks that may
 * still be left early: an importer knows how far each block ran, and makes a shorter
 * block of it.
 *
 * Invariant: at each moment one stream is written, by the only encoder. All ids in its
 * chunk are of known blocks. Blocks that are not in the file yet are written before the
 * chunk, because a chunk needs nothing but the blocks defined before it.
 *
 * Ids are gathered (4 KiB of them), because a call of the encoder costs as much as some
 * ids. Example: ids 1 2 2 of stream 0 and then a new stream give BLKS, PATH, CHNK and
 * STRM.
 */
#include "import/file.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intern.h"
#include "format/blocks.h"
#include "format/chunk.h"
#include "format/events.h"
#include "format/records.h"
#include "format/section.h"
#include "format/text.h"
#include "format/writer.h"
#include "isa/arm.h"

/*
 * CHUNK_BLOCKS is the recorder's limit, too. EVENTS_BYTES bounds a chunk's events and a
 * section's blocks and texts. LEVEL is zstd's.
 */
enum { GATHERED = 1024, CHUNK_BLOCKS = 1 << 23, EVENTS_BYTES = 1 << 20, LEVEL = 6 };
/* The time at which the program begins; a time of 0 means unknown. */
enum { BEGIN_NS = 1 };

struct import_file {
	struct writer *writer;
	struct interner ids; /* of blocks, by sizes, where they are listed, and code */
	struct blocks_writer blocks; /* not in the file yet */
	struct buf texts;	     /* the same */
	bool is_arm;
	uint16_t *insns_of;  /* [known + 1] */
	uint32_t known, gap; /* gap: its id, or 0 */
	uint32_t streams;

	struct encoder *encoder;
	uint32_t gathered[GATHERED], n;
	uint64_t stream_blocks, stream_insns; /* in finished chunks */
	uint64_t begin_ns, ns;		      /* of the chunk; of what comes next */
	struct buf events;		      /* of the chunk */
	uint64_t last_event, last_ns;
	uint64_t insns, blocks_run; /* of finished streams */
	uint64_t base_ns, end_ns;   /* the first clock; the last, counted from there */
};

/* Appends a section, and empties the payload for the next one. */
static int put(struct import_file *file, uint32_t type, struct buf *payload, int level,
	       uint64_t *off, struct wm_error *err)
{
	int ret = writer_put(file->writer, type, payload, level, off, err);

	payload->len = 0;
	return ret;
}

/* ---- the beginning ---------------------------------------------------------------------- */

static int put_fact(struct import_file *file, const char *key, const char *value,
		    struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	int ret;

	if (!value)
		return 0;
	meta_put(&payload, key, value);
	ret = put(file, SECTION_META, &payload, 0, NULL, err);
	buf_fini(&payload);
	return ret;
}

/* The one process of the record: it begins at BEGIN_NS and has no parent. */
static int put_process(struct import_file *file, const char *program,
		       struct wm_error *err)
{
	struct space_record process = { .path = (char *)(program ? program : ""),
					.begin_ns = BEGIN_NS,
					.parent = SPACE_NONE,
					.over = SPACE_NONE };
	struct buf payload = BUF_INIT;
	int ret;

	space_put(&payload, &process);
	ret = put(file, SECTION_PROC, &payload, 0, NULL, err);
	buf_fini(&payload);
	return ret;
}

static int begin(struct import_file *file, const struct import_facts *facts,
		 struct wm_error *err)
{
	bool riscv = !strncmp(facts->isa, "riscv", 5);
	int ret;

	file->is_arm = !strcmp(facts->isa, "arm");
	blocks_writer_init(&file->blocks, riscv ? SIZES_RISCV : SIZES_LISTED, 1);
	file->encoder = encoder_new(CHUNK_BLOCKS);
	file->insns_of = calloc(1, sizeof(*file->insns_of));
	if (!file->encoder || !file->insns_of)
		return wm_fail_nomem(err, "a trace");
	ret = put_fact(file, "waymark", WAYMARK_VERSION, err);
	if (!ret)
		ret = put_fact(file, "guest-isa", facts->isa, err);
	if (!ret)
		ret = put_fact(file, "imported", facts->imported, err);
	return ret ? ret : put_process(file, facts->program, err);
}

int import_file_open(struct import_file **out, const char *path,
		     const struct import_facts *facts, struct wm_error *err)
{
	struct import_file *file = calloc(1, sizeof(*file));
	int ret;

	*out = NULL;
	if (!file)
		return wm_fail_nomem(err, "a trace");
	ret = writer_open(&file->writer, path, err);
	if (!ret)
		ret = writer_set_features(file->writer, FILE_WAYS, err);
	if (!ret)
		ret = begin(file, facts, err);
	if (ret)
		import_file_free(file);
	else
		*out = file;
	return ret;
}

void import_file_free(struct import_file *file)
{
	if (!file)
		return;
	if (file->writer)
		writer_abort(file->writer);
	interner_fini(&file->ids);
	blocks_writer_fini(&file->blocks);
	encoder_free(file->encoder);
	buf_fini(&file->events);
	buf_fini(&file->texts);
	free(file->insns_of);
	free(file);
}

int import_file_module(struct import_file *file, const struct wm_module *module,
		       struct wm_error *err)
{
	struct module_record record = {
		.start = module->start,
		.end = module->end,
		.file_off = module->file_off,
		.path = (char *)module->path,
		.build_id = (char *)(module->build_id ? module->build_id : ""),
	};
	struct buf payload = BUF_INIT;
	int ret;

	module_put(&payload, &record);
	ret = put(file, SECTION_MODU, &payload, 0, NULL, err);
	buf_fini(&payload);
	return ret;
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* Writes the blocks that are not in the file yet. */
static int put_blocks(struct import_file *file, struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	int ret;

	if (!file->blocks.count)
		return 0;
	blocks_writer_flush(&file->blocks, &payload);
	ret = put(file, SECTION_BLKS, &payload, LEVEL, NULL, err);
	buf_fini(&payload);
	return ret;
}

bool import_file_needs_texts(const struct import_file *file, const struct wm_block *block)
{
	return file->is_arm && arm_set_of(block->address, block->sizes, block->insns,
					  block->code) == ARM_EITHER;
}

/* Writes the texts that are not in the file yet. */
static int put_texts(struct import_file *file, struct wm_error *err)
{
	if (file->texts.failed)
		return wm_fail_nomem(err, "texts of instructions");
	return file->texts.len ? put(file, SECTION_DISA, &file->texts, LEVEL, NULL, err) :
				 0;
}

int import_file_text(struct import_file *file, uint64_t address, const uint8_t *code,
		     uint8_t size, const char *text, struct wm_error *err)
{
	buf_put_u8(&file->texts, size | TEXT_AT_ADDRESS);
	buf_put_u64(&file->texts, address);
	buf_put(&file->texts, code, size);
	buf_put_string(&file->texts, text);
	return file->texts.len > EVENTS_BYTES ? put_texts(file, err) : 0;
}

/* Defines a block under the next id. The interner must give its key the same id. */
static int add_block(struct import_file *file, const struct wm_block *block,
		     struct wm_error *err)
{
	uint32_t n = file->known + 1;

	if (n >= CODEC_IDS_MAX)
		return wm_fail(err, WM_E_FORMAT, 0, "the record has too many blocks");
	/*
	 * The array has room for a power of two entries, and is full when n is one. Entry
	 * 0 is there from the start: no block has that id.
	 */
	if (!(n & (n - 1))) {
		uint16_t *more =
			reallocarray(file->insns_of, 2ul * n, sizeof(*file->insns_of));

		if (!more)
			return wm_fail_nomem(err, "blocks");
		file->insns_of = more;
	}
	if (!blocks_writer_add(&file->blocks, block))
		return wm_fail_nomem(err, "blocks");
	file->insns_of[n] = (uint16_t)block->insns;
	file->known = n;
	/* A section must not grow without bound. */
	return blocks_writer_bytes(&file->blocks) > EVENTS_BYTES ? put_blocks(file, err) :
								   0;
}

/*
 * Sizes of RISC-V instructions follow from their code, so the code must have that many, and
 * nothing else: that of another guest has not.
 */
static bool is_sound(const struct import_file *file, const struct wm_block *block)
{
	uint8_t sizes[BLOCK_INSNS_MAX];
	uint32_t bytes = 0;

	if (!block->insns || block->insns > BLOCK_INSNS_MAX ||
	    block->bytes > BLOCK_BYTES_MAX)
		return false;
	if (file->blocks.rule != SIZES_RISCV)
		return true;
	if (!sizes_from_code(sizes, block->insns, block->code, block->bytes))
		return false;
	for (uint32_t i = 0; i < block->insns; i++)
		bytes += sizes[i];
	return bytes == block->bytes;
}

int import_file_block(struct import_file *file, const struct wm_block *block,
		      uint32_t *id, struct wm_error *err)
{
	uint8_t key[BLOCK_INSNS_MAX + BLOCK_BYTES_MAX];
	/*
	 * Where sizes are listed they belong to the key: the same bytes can be cut
	 * differently.
	 */
	uint32_t bytes = file->blocks.rule == SIZES_RISCV ? 0 : block->insns;
	bool fresh;

	if (!is_sound(file, block))
		return wm_fail(err, WM_E_FORMAT, 0,
			       "the record has instructions at 0x%llx that cannot be of "
			       "this guest; --isa or --elf says which one it is",
			       (unsigned long long)block->address);
	if (bytes)
		memcpy(key, block->sizes, bytes); /* RISC-V has no sizes */
	memcpy(key + bytes, block->code, block->bytes);
	*id = intern(&file->ids, block->address, key, bytes + block->bytes, &fresh);
	if (!*id)
		return wm_fail_nomem(err, "blocks");
	return fresh ? add_block(file, block, err) : 0;
}

/* ---- chunks ------------------------------------------------------------------------------ */

/* *off: where the section is, for the chunk's head. */
static int put_path(struct import_file *file, const struct codes *codes, uint64_t *off,
		    struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	int ret;

	path_put(&payload, codes, &file->events);
	ret = put(file, SECTION_PATH, &payload, 0, off, err);
	buf_fini(&payload);
	return ret;
}

static int put_chunk(struct import_file *file, struct chunk_head *head,
		     struct wm_error *err)
{
	struct buf payload = BUF_INIT, none = BUF_INIT;
	int ret;

	chunk_put(&payload, head, encoder_counts(file->encoder));
	chunk_put_rest(&payload, &none, CHUNK_SPACE_OF_STREAM);
	ret = put(file, SECTION_CHNK, &payload, 0, NULL, err);
	buf_fini(&payload);
	return ret;
}

/* Ordinals of a chunk continue those of the one before; times of events begin anew. */
static void next_chunk(struct import_file *file, const struct chunk_head *head)
{
	file->stream_blocks += head->blocks;
	file->stream_insns += head->insns;
	file->begin_ns = file->ns;
	file->events.len = file->last_event = file->last_ns = 0;
	encoder_reset(file->encoder);
}

/* Writes the chunk, and begins the next one. */
static int end_chunk(struct import_file *file, struct wm_error *err)
{
	struct chunk_head head = {
		.stream = file->streams - 1,
		.insns = encoder_weigh(file->encoder, file->insns_of),
		.first_block = file->stream_blocks,
		.first_insn = file->stream_insns,
		.begin_ns = file->begin_ns,
		.end_ns = file->ns,
		.known = file->known,
	};
	struct codes codes;
	int ret;

	/* A chunk may have events only: what happened after the stream's last block. */
	if (!encoder_blocks(file->encoder) && !file->events.len)
		return 0;
	encoder_finish(file->encoder, &codes);
	head.blocks = codes.blocks;
	head.highest = codes.highest;
	ret = put_blocks(file, err);
	if (!ret)
		ret = put_texts(file, err);
	if (!ret)
		ret = put_path(file, &codes, &head.path_off, err);
	if (!ret)
		ret = put_chunk(file, &head, err);
	next_chunk(file, &head);
	return ret;
}

/*
 * Gives the gathered ids to the encoder. A full chunk ends when the next id comes, so an
 * event after its last block still belongs to it.
 */
static int feed(struct import_file *file, struct wm_error *err)
{
	uint32_t done = 0;
	int ret = encoder_know(file->encoder, file->known) ?
			  wm_fail_nomem(err, "a chunk") :
			  0;

	while (!ret && done < file->n) {
		size_t took;

		if (encoder_full(file->encoder) || file->events.len > EVENTS_BYTES)
			ret = end_chunk(file, err);
		took = encoder_feed(file->encoder, file->gathered + done, file->n - done);
		done += (uint32_t)took;
		/*
		 * A chunk that has just begun takes at least one id, unless memory is
		 * short.
		 */
		if (!ret && !took)
			ret = wm_fail_nomem(err, "a chunk");
	}
	file->n = 0;
	return ret;
}

/* The id is kept, even when an earlier one cannot be written: the caller ends then. */
int import_file_enter(struct import_file *file, uint32_t id, struct wm_error *err)
{
	int ret = file->n == GATHERED ? feed(file, err) : 0;

	file->gathered[file->n++] = id;
	return ret;
}

/* ---- streams ----------------------------------------------------------------------------- */

/* Ends the stream that is written, if there is one. */
static int end_stream(struct import_file *file, struct wm_error *err)
{
	int ret = file->streams ? feed(file, err) : 0;

	if (!ret && file->streams)
		ret = end_chunk(file, err);
	file->insns += file->stream_insns;
	file->blocks_run += file->stream_blocks;
	file->stream_insns = file->stream_blocks = 0;
	file->begin_ns = file->ns = 0;
	return ret;
}

int import_file_stream(struct import_file *file, uint32_t vcpu, uint32_t tid,
		       struct wm_error *err)
{
	struct stream_record stream = { .vcpu = vcpu, .tid = tid, .name = (char *)"" };
	struct buf payload = BUF_INIT;
	int ret = end_stream(file, err);

	stream.index = file->streams++;
	encoder_turn_to(file->encoder, 0);
	stream_put(&payload, &stream);
	if (!ret)
		ret = put(file, SECTION_STRM, &payload, 0, NULL, err);
	buf_fini(&payload);
	return ret;
}

void import_file_clock(struct import_file *file, uint64_t ns)
{
	/* No id of this chunk has come: the chunk begins at this time. */
	bool first = !file->n && !encoder_blocks(file->encoder);

	/*
	 * Times count from the first one, at which the program begins. They never go
	 * back: within a stream a lower one is ignored.
	 */
	if (!file->base_ns)
		file->base_ns = ns;
	ns = BEGIN_NS + (ns > file->base_ns ? ns - file->base_ns : 0);
	if (ns > file->ns)
		file->ns = ns;
	if (ns > file->end_ns)
		file->end_ns = ns;
	if (first)
		file->begin_ns = file->ns;
}

int import_file_event(struct import_file *file, uint32_t kind, const uint64_t *fields,
		      unsigned n, struct wm_error *err)
{
	struct chunk_event event = { .kind = kind };
	struct buf data = BUF_INIT;
	int ret = feed(file, err);

	/* After feed(): the position counts all ids before the event. */
	event.position = encoder_blocks(file->encoder);
	/* A difference, as all times of events in a chunk. */
	buf_put_varint(&data, file->ns - file->last_ns);
	file->last_ns = file->ns;
	for (unsigned i = 0; i < n; i++)
		buf_put_varint(&data, fields[i]);
	event.data = data.data;
	event.bytes = data.len;
	event_put(&file->events, &event, &file->last_event);
	if (!ret && (data.failed || file->events.failed))
		ret = wm_fail_nomem(err, "events");
	buf_fini(&data);
	return ret;
}

int import_file_gap(struct import_file *file, struct wm_error *err)
{
	static const struct wm_block gap = { .insns = 0 };
	int ret = file->gap ? 0 : add_block(file, &gap, err);

	/*
	 * The interner numbers blocks in step with add_block(), so a gap takes a number
	 * there, too. One gap id serves the whole file.
	 */
	if (!ret && !file->gap) {
		bool fresh;

		file->gap = intern_apart(&file->ids, 0, (const uint8_t *)"", 0, &fresh);
		if (!file->gap)
			ret = wm_fail_nomem(err, "blocks");
	}
	return ret ? ret : import_file_enter(file, file->gap, err);
}

/* ---- the end ------------------------------------------------------------------------------ */

static int put_end(struct import_file *file, const char *cut, struct wm_error *err)
{
	struct space_end_record end = { .status = -1, .end_ns = file->end_ns };
	struct buf payload = BUF_INIT;
	int ret;

	space_end_put(&payload, &end);
	ret = put(file, SECTION_PEND, &payload, 0, NULL, err);
	end_put(&payload, cut);
	if (!ret)
		ret = put(file, SECTION_ENDS, &payload, 0, NULL, err);
	buf_fini(&payload);
	return ret;
}

int import_file_finish(struct import_file *file, const char *cut,
		       struct import_sums *sums, struct wm_error *err)
{
	struct writer *writer = file->writer;
	int ret = end_stream(file, err);

	if (!ret)
		ret = put_blocks(file, err);
	if (!ret)
		ret = put_end(file, cut, err);
	if (!ret)
		ret = writer_seal(writer, err);
	if (!ret)
		ret = writer_publish(writer, err);
	*sums = (struct import_sums){ file->insns, file->blocks_run, 0, file->streams };
	if (ret)
		return ret;
	sums->bytes = writer_bytes(writer);
	/* writer_finish() frees the writer: import_file_free() must not abort it. */
	file->writer = NULL;
	return writer_finish(writer, err);
}
