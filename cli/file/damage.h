/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a file, and what is lost by it, as lines of text. */
#ifndef CLI_FILE_DAMAGE_H
#define CLI_FILE_DAMAGE_H

#include "trace/salvage.h"

/*
 * Prints the first `most` damaged places, each with what is lost by it, and how many
 * there are.
 */
void damage_print(const char *file, const struct salvage *salvage, size_t most);

#endif
