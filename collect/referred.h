/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that the trace does not get because the program's own files have it (`record
 * --code=files`). Of each such file the beginning, up to the end of its code, is kept in the
 * user's cache before the trace refers to it: a program that is rebuilt takes nothing away.
 */
#ifndef COLLECT_REFERRED_H
#define COLLECT_REFERRED_H

#include "format/arena.h"
#include "format/blocks.h"

struct referred {
	bool wanted;
	uint32_t n;
	struct blocks_file files[CODE_FILES_MAX]; /* [n] */
	/* [n] of each: where it was mapped, and the copy that is kept */
	struct referred_copy {
		uint64_t start, end;
		int fd;
	} copies[CODE_FILES_MAX];
};

void referred_init(struct referred *referred, bool wanted);
void referred_fini(struct referred *referred);
/*
 * A file is mapped, as process `pid` sees it. When it has no build-id or cannot be kept, its
 * code goes into the trace.
 */
void referred_note(struct referred *referred, uint32_t pid,
		   const struct message_module *message, const char *path);
/* The number of a file, from 1, that has the block's bytes; 0: none has. */
uint32_t referred_find(const struct referred *referred, const struct wm_block *block);

#endif
