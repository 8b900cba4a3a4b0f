/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions, source lines and ways of conditional branches of a program ran, and
 * which did not, over one run or several.
 *
 * Everything in a file counts as soon as some of it ran. Files of two runs are the same
 * when their paths and build-ids are. An instruction of which it is uncertain whether it
 * ran did not run.
 */
#ifndef ANALYSIS_COVER_COVER_H
#define ANALYSIS_COVER_COVER_H

#include "analysis/counted.h"
#include "base/intern.h"
#include "out/table.h"
#include "program/functions.h"
#include "program/srclines.h"

/* In `first`: no run reached it. Runs are numbered from 1. */
#define COVER_NEVER 0

struct cover_module {
	const char *path, *build_id;
	uint64_t base;	      /* the lowest address of its image, as a space had it */
	uint64_t image_bytes; /* from there to the end of what is known of it */
	bool of_methods;      /* a source file: see COVER_METHOD_BITS */
	bool gone; /* when it was listed: so only what ran is known, from the trace */
};

struct cover_function {
	char *name; /* demangled */
	uint32_t module;
	uint64_t start, end; /* bytes of the file */
	struct srcline line; /* of its first instruction; .source 0: not known */
	uint64_t executions; /* of its first instruction, in all runs */
	uint64_t insns;	     /* executions of all of it */
	uint32_t first;	     /* the run that first reached any of it */
};

struct bytecodes;

/* Bytecodes of a line, and ways of branches among them; those that ran. */
struct cover_bytecodes {
	uint32_t all, reached, ways, ways_reached;
};

/*
 * Keeps in *most those of the run that reached most; of several such runs, the one that had most
 * of them, or else the last. So it does not matter in which groups runs are added.
 */
static inline void cover_most_bytecodes(struct cover_bytecodes *most,
					const struct cover_bytecodes *of)
{
	if (of->reached > most->reached ||
	    (of->reached == most->reached && of->all >= most->all))
		*most = *of;
}

struct cover_line {
	struct srcline line;
	uint64_t executions; /* of the instruction that ran most, summed over runs */
	uint64_t most;	     /* in the run that is being added */
	uint64_t counted;    /* the same of code whose bytecodes count, too */
	uint32_t first;
	/* Of methods that an interpreter ran: in the run that reached most. */
	struct cover_bytecodes bytecodes;
	struct cover_bytecodes now; /* in run `run` */
	uint32_t run;
};

/* A conditional branch. */
struct cover_branch {
	uint32_t module;
	uint64_t file_off;
	struct srcline line;
	uint64_t executions, taken, not_taken;
	uint32_t first_taken, first_not_taken;
};

/* Code that ran in one piece. */
struct cover_block {
	uint32_t module;
	uint64_t image_off; /* from the image's lowest address */
	uint32_t bytes;
};

struct cover {
	struct cover_module *modules;	  /* [n_modules] in the order of being met */
	struct cover_function *functions; /* [n_functions] by module and place */
	struct cover_line *lines;	  /* [n_lines] by path and number */
	struct cover_branch *branches;	  /* [n_branches] by module and place */
	struct cover_block *blocks; /* [n_blocks] by module, place, bytes, each once */
	uint32_t n_modules, n_functions, n_lines, n_branches, n_blocks;
	uint32_t n_folded; /* blocks after the last cover_fold(): each of these is there once */
	char **runs;	   /* [n_runs] their names */
	uint32_t n_runs;
	bool has_branches;
	struct interner sources; /* paths, by .source of lines */
	struct cover_index *index;
};

/* One run; all of it the caller's, and only needed during the call. */
struct cover_run {
	const char *name;
	struct counted of;
	const struct insn_counts *insns;   /* of the same; NULL: they are gathered */
	const struct bytecodes *bytecodes; /* of the run; NULL: they are gathered */
};

/*
 * An empty *cover, the caller's to cover_fini(). With branches, each run is retraced.
 * WM_E_NOMEM.
 */
int cover_init(struct cover *cover, bool branches, struct wm_error *err);
void cover_fini(struct cover *cover);

/* Adds a run. WM_E_NOMEM, and with branches the errors of edges_gather(). */
int cover_add(struct cover *cover, const struct cover_run *run, struct wm_error *err);

/* For cover_add(), after each run: keeps the number of blocks near that of different ones. */
void cover_fold(struct cover *cover);
/* Sorts everything. To be called once, after the last run. */
void cover_finish(struct cover *cover);

/*
 * After cover_finish(): leaves only functions, lines and branches whose source fits the
 * pattern of fnmatch(3), which is compared with the path, or without a "/" with its last part.
 * False: none does.
 */
bool cover_only_source(struct cover *cover, const char *pattern);

/* The path of a source file, owned by `cover`. */
const char *cover_path(const struct cover *cover, uint32_t source);

#endif
