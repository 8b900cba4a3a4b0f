/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which predictors, and how large: in numbers, and as a user writes it. */
#ifndef ANALYSIS_BPRED_SPEC_H
#define ANALYSIS_BPRED_SPEC_H

#include "waymark.h"

enum bpred_kind { BPRED_BIMODAL, BPRED_GSHARE, BPRED_TAGE, BPRED_KINDS };

/* The longest history, in conditional branches. */
enum { BPRED_HISTORY_MAX = 2048, BPRED_TABLES_MAX = 12 };

/* Of the direction of conditional branches. Tables have a power of two of entries. */
struct bpred_direction {
	enum bpred_kind kind;
	uint32_t entries; /* of counters; of TAGE: of each table with tags */
	/*
	 * Outcomes that gshare hashes with the address; of TAGE, those that the first table
	 * with tags sees. Each further one sees twice as many.
	 */
	uint32_t history;
	uint32_t tables; /* of TAGE: those with tags */
	uint32_t tag;	 /* bits of a tag */
	uint32_t base;	 /* counters of TAGE's table without tags */
	uint32_t aging;	 /* branches after which TAGE's entries lose use */
};

/* Of the targets of indirect jumps and calls. */
struct bpred_btb {
	uint32_t entries, ways;
	uint32_t path; /* bits of the path of earlier targets in the index; 0: none */
};

struct bpred_spec {
	struct bpred_direction direction;
	struct bpred_btb btb;
	uint32_t returns; /* entries of the stack of return addresses */
};

/* The defaults: TAGE with six tables. */
void bpred_spec_init(struct bpred_spec *spec);

/*
 * Reads "NAME[,KEY=VALUE...]", such as "gshare,entries=4096,history=12": the named
 * predictor, with its defaults for what is not given. WM_E_RANGE with a sentence.
 */
int bpred_parse_direction(struct bpred_direction *direction, const char *text,
			  struct wm_error *err);
/* Reads "KEY=VALUE[,KEY=VALUE...]" into *btb, such as "entries=512,ways=2". */
int bpred_parse_btb(struct bpred_btb *btb, const char *text, struct wm_error *err);

#endif
