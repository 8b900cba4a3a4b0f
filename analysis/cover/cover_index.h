/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a struct cover by their keys, while runs are added; for analysis/cover/
 * alone. Each function finds a part or makes one with nothing reached. NULL: no memory.
 * The pointer is valid until the next part is made.
 */
#ifndef ANALYSIS_COVER_COVER_INDEX_H
#define ANALYSIS_COVER_COVER_INDEX_H

#include "analysis/cover/cover.h"

#define COVER_PLACE_BITS 40 /* of an offset in a file, at the most */
/*
 * A place in a module of methods: an offset in the method's bytecode in these lower bits, and
 * above them the number of the method's name among the cover's texts.
 */
#define COVER_METHOD_BITS 16

struct cover_index *cover_index_new(void);
void cover_index_free(struct cover_index *index);

struct cover_module *cover_module_at(struct cover *cover, const char *path,
				     const char *build_id);
struct cover_function *cover_function_at(struct cover *cover, uint32_t module,
					 uint64_t start);
struct cover_line *cover_line_at(struct cover *cover, const struct srcline *line);
struct cover_branch *cover_branch_at(struct cover *cover, uint32_t module,
				     uint64_t file_off);

#endif
