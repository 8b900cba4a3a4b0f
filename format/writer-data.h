/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that write a trace share. Others use writer.h. */
#ifndef FORMAT_WRITER_DATA_H
#define FORMAT_WRITER_DATA_H

#include "format/writer.h"

#define TOC_ENTRY_BYTES 16 /* type, zero, offset */

struct writer {
	int fd;
	int trunk;		/* the file that it branched from, or -1 */
	uint64_t trunk_end;	/* bytes of the trunk that belong to this file */
	mode_t mode;		/* access rights of the published file */
	bool keeps_old;		/* an earlier file of the name stays, as NAME.old */
	char *path, *temporary; /* temporary: NULL once published */
	uint32_t features;
	uint64_t off; /* where the next section goes */
	struct buf toc;
	uint64_t sections;
	bool sealed; /* the table of contents is written */
	struct ZSTD_CCtx_s *zstd;
	struct buf packed;
	struct writer *beside;	/* the file that is to replace it; NULL: none */
	struct wm_error failed; /* code 0 as long as all is well */
};

/* Frees the temporary name: the file has its own, or is gone. */
void writer_forget_temporary(struct writer *writer);
/* Creates the file under its temporary name, and locks it. */
int writer_create(struct writer *writer, struct wm_error *err);

#endif
