/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DynamoRIO's coverage files, version 2, which Lighthouse and drcov2lcov read: a table of
 * modules in text, and a table of blocks of 8 bytes each, as drcov's documentation and
 * source (clients/drcov, ext/drcovlib) have them.
 */
#ifndef EXPORT_DRCOV_H
#define EXPORT_DRCOV_H

#include <stdio.h>

#include "analysis/cover/cover.h"

/*
 * Writes the blocks of a finished cover; what the stream says is the caller's to check.
 * Blocks are cut at the 65,535 bytes that the format can tell, modules at 65,536.
 */
void drcov_write(FILE *out, const struct cover *cover);

#endif
