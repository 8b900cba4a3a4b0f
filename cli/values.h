/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of options. Each ends the process as argp_error() does when the value is wrong. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stdint.h>

struct argp_state;

/*
 * The number `arg`, decimal or 0x, or with a suffix k, M or G: thousands, millions, billions.
 * It must lie in `least` to `most`. The error names the option as given: "--from".
 */
uint64_t amount_or_end(const char *arg, const char *option, uint64_t least, uint64_t most,
		       struct argp_state *state);

/*
 * The index of `arg` in words[] (NULL-terminated). The error lists the words; the option is
 * given without its dashes.
 */
unsigned choice_or_end(const char *arg, const char *option, const char *const *words,
		       struct argp_state *state);

#endif
