/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ELF files that a foreign record's addresses belong to. */
#ifndef IMPORT_MODULE_H
#define IMPORT_MODULE_H

#include "import/file.h"
#include "program/elf/file.h"
#include "program/elf/loads.h"

enum { IMPORT_LOADS = 64 };

/* A file whose code lies `base` above the addresses it is linked at. */
struct import_module {
	char *path;
	uint64_t base;
	int fd;
	char build_id[ELF_BUILD_ID_TEXT];
	struct elf_load loads[IMPORT_LOADS]; /* as linked */
	size_t n;
};

/* Opens "PATH" or "PATH@BASE". WM_E_IO, WM_E_FORMAT: no ELF file with code. */
int import_module_open(struct import_module *module, const char *text,
		       struct wm_error *err);
void import_module_close(struct import_module *module);
/* Its records in a file. */
int import_module_put(const struct import_module *module, struct import_file *file,
		      struct wm_error *err);

/*
 * The records of what a trace's processes had mapped, except where these have different files at
 * one address: a foreign record does not say which process it is of.
 */
int import_modules_of(const struct wm_trace *trace, struct import_file *file,
		      struct wm_error *err);

#endif
