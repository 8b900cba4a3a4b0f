/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An option's argument that is a whole number. */
#ifndef CLI_AMOUNT_H
#define CLI_AMOUNT_H

#include <stdint.h>

struct argp_state;

/*
 * The number `arg`, decimal or 0x, with k, M or G behind it for thousands, millions,
 * milliards. When it is none, or not from `least` to `most`, ends the process with a
 * sentence that names the option ("--from"), as argp_error() does.
 */
uint64_t amount_or_end(const char *arg, const char *option, uint64_t least, uint64_t most,
		       struct argp_state *state);

#endif
