/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace file made by hand (tests/unit/sample.h) whose blocks access memory, and what they
 * accessed.
 */
#ifndef TESTS_VALUED_H
#define TESTS_VALUED_H

#include "format/values_encode.h"
#include "sample.h"

enum { VALUED_BLOCKS = 30, VALUED_STREAMS = 2, VALUED_MOST = 1 << 18 };

/* An access as it must come back; access.block is 0. */
struct valued_access {
	uint64_t block_ordinal, insn_ordinal;
	uint32_t id;
	struct wm_access access;
};

struct valued {
	struct sample sample; /* first: what it calls gets that */
	struct value_programs *programs;
	struct values_encoder *encoders[VALUED_STREAMS];
	uint64_t counts[VALUED_BLOCKS + 1]; /* executions */
	uint64_t *ring;			    /* [VALUED_MOST] */
	struct value_words words;
	struct values_encoder *encoder; /* of the chunk that is being written; NULL: none */
	struct valued_access *ran[VALUED_STREAMS]; /* [n_ran] */
	size_t n_ran[VALUED_STREAMS];
	uint64_t seed;
};

/*
 * Begins such a file with VALUED_BLOCKS blocks, of which the last is a gap, and
 * VALUED_STREAMS streams. All of it is the caller's to valued_fini().
 */
void valued_open(struct valued *valued, const char *path);
/* n blocks as the next chunk, some of them left early; their values are left out on request. */
void valued_chunk(struct valued *valued, uint32_t stream, uint32_t n, bool with_values);
/* Ends the file. What ran stays. */
void valued_close(struct valued *valued);
void valued_fini(struct valued *valued);

#endif
