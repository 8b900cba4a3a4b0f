/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who runs the cases of a suite: processes of this machine, or jobs of Slurm. */
#ifndef CLI_SUITE_ENGINE_H
#define CLI_SUITE_ENGINE_H

#include "cli/suite/suite.h"

struct engine {
	const struct suite *suite;
	const char *path;     /* of the suite's file, absolute */
	const char *out;      /* the folder of results, absolute */
	const size_t *wanted; /* [n] indexes of the cases to run */
	size_t n;
	unsigned jobs; /* at once; 0: as many as there are processors, of Slurm any number */
	char **words; /* [n_words] more options of sbatch */
	size_t n_words;
	void (*ended)(void *cookie, size_t index); /* called for each case, locally */
	void *cookie;
};

/*
 * Both return when all cases have run. Results are in `out`; a case that lacks one has failed
 * badly. WM_E_IO: no process or job can be started.
 */
int engine_local(const struct engine *engine, struct wm_error *err);
int engine_slurm(const struct engine *engine, struct wm_error *err);

#endif
