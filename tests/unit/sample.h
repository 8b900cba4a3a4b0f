/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small trace file, made by hand: blocks of made-up instructions and any sequence of
 * them, chunk by chunk. Whatever goes wrong ends the test.
 */
#ifndef TESTS_SAMPLE_H
#define TESTS_SAMPLE_H

#include "format/blocks.h"
#include "format/chunk.h"
#include "format/section.h"
#include "format/writer.h"

enum { SAMPLE_STREAMS = 8, SAMPLE_BLOCKS = 4096 };

struct sample_stream {
	struct encoder *encoder;
	uint64_t blocks, insns;
};

struct sample {
	struct writer *writer;
	struct blocks_writer blocks;
	uint32_t known;			      /* blocks so far */
	uint16_t insns_of[SAMPLE_BLOCKS + 1]; /* by id */
	uint64_t address_of[SAMPLE_BLOCKS + 1];
	struct sample_stream streams[SAMPLE_STREAMS];
	uint32_t stream_count;
	int level; /* of zstd for sections of blocks; 0: none is compressed */

	/* For chunks that lie: called on what is about to be written, when not NULL. */
	void (*spoil_head)(struct chunk_head *head);
	void (*spoil_counts)(uint32_t *counts);
	/* Called between a chunk's PATH and its CHNK, when not NULL. */
	void (*after_path)(struct sample *sample, uint64_t path_off);
	uint32_t space;	   /* of the next chunks; at first that of their stream */
	struct buf events; /* of the next chunk */
	uint64_t last_event;
	struct buf partials; /* of the next chunk */
	uint32_t partial_next;
	uint32_t missing_insns; /* of them */
};

/* Begins a file with a META, a PROC and no stream. */
void sample_open(struct sample *sample, const char *path);
/* The same, in a file with these incompatible features. */
void sample_open_with(struct sample *sample, const char *path, uint32_t features);
/* The same, in a file whose streams may change their space. */
void sample_open_spaces(struct sample *sample, const char *path);
/* A block of `insns` instructions of 2 and 4 bytes; returns its id. */
uint32_t sample_block(struct sample *sample, uint64_t address, uint32_t insns);
/* The same with its code given, of RISC-V sizes. */
uint32_t sample_code(struct sample *sample, uint64_t address, const uint8_t *code,
		     uint32_t bytes);
/* n blocks that are far apart, of 1 to 7 instructions in turn. */
void sample_row(struct sample *sample, uint32_t n);
/* A gap; returns its id. */
uint32_t sample_gap(struct sample *sample);
/* Writes a BLKS of the blocks since the last one. sample_chunk() does it by itself. */
void sample_flush(struct sample *sample);
/* A new stream; returns its index. */
uint32_t sample_stream(struct sample *sample);
/* ids[n] as the next chunk of a stream. */
void sample_chunk(struct sample *sample, uint32_t stream, const uint32_t *ids, size_t n);
/* An event of the next chunk. */
void sample_event(struct sample *sample, uint64_t position, uint32_t kind,
		  const char *data);
/* Block `position` of the next chunk, of `id`, was left after `insns` instructions. */
void sample_partial(struct sample *sample, uint32_t position, uint32_t id, uint32_t insns,
		    uint32_t uncertain);
/* The same of any number of instructions, once in 13 times, if the block has more than one. */
void sample_perhaps_partial(struct sample *sample, uint32_t position, uint32_t id,
			    uint64_t *seed);
/* Streams 0 and 2 by turns, in chunks of any size up to 300 blocks, which `chunk` writes. */
void sample_by_turns(void (*chunk)(uint32_t stream, size_t n, uint64_t *seed),
		     uint64_t *seed);

enum { SAMPLE_SEQUENCE = 600 };

/* Addresses of blocks, as they ran. */
struct sample_sequence {
	uint64_t addresses[SAMPLE_SEQUENCE];
	size_t n;
};

/*
 * n blocks as the next chunk of a stream, mostly the first three in turn, and appends them to
 * *ran.
 */
void sample_ran(struct sample *sample, uint32_t stream, size_t n, uint64_t *seed,
		struct sample_sequence *ran);
/* Any section. */
void sample_put(struct sample *sample, uint32_t type, const void *payload, size_t bytes);
/* Puts PEND and ENDS, and finishes the file; with `torn`, it gets no end. */
void sample_close(struct sample *sample, bool torn);

/* Such a file, opened; it must be sound. */
struct wm_trace *sample_trace(const char *path);

/* A pseudo-random number, always the same ones after the same *state. */
uint32_t sample_random(uint64_t *state);
/* Room for n ids, malloc()ed. */
uint32_t *sample_ids(size_t n);
/* A file as bytes, malloc()ed. */
uint8_t *sample_load(const char *path, size_t *bytes);
void sample_save(const char *path, const uint8_t *data, size_t bytes);

#endif
