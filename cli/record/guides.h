/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guides: how the programs of a managed runtime are followed. A guide is a folder
 * guides/NAME with a text file, `guide`, and what that names. Of its lines, each a word and
 * what belongs to it:
 *
 *	program PATTERN		names of programs that it is for, links followed
 *	program PATTERN PREFIX	programs that take arguments for the runtime behind a prefix
 *	preload FILE		a library in the folder, for LD_PRELOAD of the guest
 *	needs FILE		another file in the folder, which arguments name
 *	variable NAME=TEXT	of the guest's environment; %d is the folder
 *	argument TEXT		an argument before the program's own; %d is the folder
 *	library NAME		a program of any name that needs this library takes arguments, too
 *	told			the agent tells which loads fetch bytecodes (format/note.h), and
 *				the addresses that they load from are recorded
 *
 * Empty lines, and those that begin with #, are for people.
 *
 * Where nobody names a guide, the one for the program is taken, and a run does not fail for
 * it: a message says what is missing, and the program runs as without a guide.
 */
#ifndef CLI_RECORD_GUIDES_H
#define CLI_RECORD_GUIDES_H

#include <argp.h>
#include <limits.h>

#include "collect/steering.h"

#define GUIDE_PROGRAMS_MAX 48
#define GUIDE_ARGUMENTS_MAX 16
#define GUIDE_VARIABLES_MAX 4

struct record_guide {
	const char *asked; /* by --guide NAME; NULL: the one for the program, if any */
	bool off;	   /* --guide none */
	char *name;	   /* of the one in use; NULL: none */
	char folder[PATH_MAX];
	char *text; /* of its file, cut into lines; what is below points into it */
	struct guide_program {
		const char *pattern, *prefix; /* of arguments; may be "" */
	} programs[GUIDE_PROGRAMS_MAX];
	unsigned n_programs;
	char *arguments[GUIDE_ARGUMENTS_MAX];
	unsigned n_arguments;
	const char *library;		      /* NULL: none */
	char *variables[GUIDE_VARIABLES_MAX]; /* [n_variables] NAME=VALUE; malloc()ed, */
	unsigned n_variables;		      /* as arguments are */
	bool told;
};

/* For a parser's children; the input is a struct record_guide of zeros. */
extern const struct argp record_guide_argp;

/*
 * Finds the guide for a program, by its path and ISA, and reads it. `qemu_args` say what is
 * in the guest's environment, as guest_variable() reads it. `values` is what else is recorded,
 * enum values_wanted. WM_E_RANGE, WM_E_IO, WM_E_NOMEM, with a sentence.
 */
int record_guide_find(struct record_guide *guide, const char *program, const char *arch,
		      char *const *qemu_args, uint32_t values, struct wm_error *err);
/* What it wants recorded: enum values_wanted. */
uint32_t record_guide_values(const struct record_guide *guide);
/* Whether the program at `path` can do with what the guide adds: others take no arguments of it. */
bool record_guide_suits(const struct record_guide *guide, const char *path);
/* What the guide's arguments of the program at `path` come behind: "" mostly. */
const char *record_guide_prefix(const struct record_guide *guide, const char *path);
/*
 * Calls `take` for each guide that is installed and can be used where nothing else is recorded, as
 * record_guide_find() reads it. It is valid during the call.
 */
void record_guides_each(char *const *qemu_args,
			void (*take)(void *cookie, const struct record_guide *guide),
			void *cookie);
/* The guest's arguments with the guide's; `argv` itself if the guide adds nothing. NULL: no memory. */
char **record_guide_argv(struct record_guide *guide, char **argv);
void record_guide_fini(struct record_guide *guide);

#endif
