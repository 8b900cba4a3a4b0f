/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An option's argument that is one of a few words. */
#ifndef CLI_CHOICE_H
#define CLI_CHOICE_H

struct argp_state;

/*
 * The index of `arg` in words[] (NULL-terminated). When it is none of them, ends the
 * process with a sentence that names them and the option (given without its dashes), as
 * argp_error() does.
 */
unsigned choice_or_end(const char *arg, const char *option, const char *const *words,
		       struct argp_state *state);

#endif
