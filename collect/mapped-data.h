/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is remembered of a mapped file; for collect/mapped*.c alone. */
#ifndef COLLECT_MAPPED_DATA_H
#define COLLECT_MAPPED_DATA_H

#include "collect/mapped.h"
#include "format/symtab.h"

struct mapped_file {
	uint64_t dev, ino, mtime_ns;
	char *path; /* ours once it is remembered */
	char build_id[ELF_BUILD_ID_TEXT];
	int fd; /* -1: not open */
	bool packed;
};

/* Guest addresses at which a file was mapped, in one space or several. */
struct mapping {
	uint64_t start, end, file_off;
	uint32_t file; /* index */
};

/* Whether it is still what was mapped; it is open. */
bool mapped_is_unchanged(const struct mapped_file *file);
/* kernel_names_read() of one of the files, from where it was read ahead if it was. */
bool mapped_read_names(const struct mapped *mapped, const struct mapped_file *file,
		       struct symtab *names);

#endif
