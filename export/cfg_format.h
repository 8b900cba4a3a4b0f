/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A control-flow graph, or part of it, for other programs. */
#ifndef EXPORT_CFG_FORMAT_H
#define EXPORT_CFG_FORMAT_H

#include <stdio.h>

#include "analysis/cfg/trips.h"
#include "export/format.h"
#include "program/srclines.h"

struct cfg_picture {
	const struct wm_trace *trace;
	struct symbols *symbols;
	struct srclines *lines;
	const struct functions *functions;
	const struct cfg *cfg;
	const struct loops *loops;
	const struct trips *trips; /* [loops->n], or NULL */
	const bool *picked;	   /* [cfg->n] which blocks are wanted */
	uint64_t insns;		   /* all that ran */
};

struct cfg_format {
	struct format format; /* first: formats[] knows it by this */
	uint64_t most;	      /* blocks that make a good picture; 0: any number */
	/* Writes all of it. The caller checks the stream for errors. WM_E_NOMEM. */
	int (*write)(FILE *out, const struct cfg_picture *picture, struct wm_error *err);
};

/*
 * JSON: an object of "blocks", "edges" and "loops". Blocks on the other side of an edge
 * of a wanted one are there, too, marked "outside" and without their code.
 */
extern const struct cfg_format cfg_json;

/*
 * The language of graphviz's dot: nodes with their code, as warm as they are hot, those
 * of a function in a box; what is outside is one node for each function.
 */
extern const struct cfg_format cfg_dot;

/*
 * For compilers: how often lines ran, by function, and who called whom; for code with
 * debugging information. LLVM's sample profiles, in text ("Sample Profile Text Format" in
 * Clang's manual) and as llvm-profdata calls "binary"; and what GCC's -fauto-profile reads,
 * version 2, of GCC 12 and later.
 */
extern const struct cfg_format cfg_llvm_profile, cfg_llvm_profile_binary, cfg_autofdo;

/*
 * For the optimizer BOLT of linked programs, its .fdata: branches and how often each was
 * taken. Of the program that was started; other files have a profile of their own.
 */
extern const struct cfg_format cfg_bolt;

#endif
