/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files with the names of a kernel that are no ELF files: an Image, as it is loaded into
 * memory or compressed with gzip, a bzImage, and a System.map.
 */
#ifndef PROGRAM_KERNEL_IMAGE_H
#define PROGRAM_KERNEL_IMAGE_H

#include "format/symtab.h"
#include "program/elf/file.h"
#include "program/elf/loads.h"
#include "program/elf/symbols.h"
#include "program/kernel/kallsyms.h"

struct kernel_image {
	uint8_t *bytes; /* of the Image, unpacked; of a System.map: NULL */
	size_t n_bytes;
	uint64_t start, end; /* virtual addresses; byte 0 is at `start` */
	struct kernel_symbols symbols;
	/*
	 * In hexadecimal: an Image's own, or "" if it has none; of a System.map a sum of its
	 * text, which distinguishes it from others as well.
	 */
	char build_id[ELF_BUILD_ID_TEXT];
};

/*
 * Reads the file open at `fd`. False when it is no such file, or damaged, or without memory;
 * *image is empty then, else the caller's to kernel_image_fini(). Of an Image without
 * symbols `start` and `end` are equal.
 */
bool kernel_image_read(struct kernel_image *image, int fd);
void kernel_image_fini(struct kernel_image *image);

/*
 * These take ELF files as well: callers use them for any file that may be a kernel.
 *
 * kernel_names_read() is elf_symbols_read() for both. Of an Image it takes its debug
 * file's names, if there is one, else its own; a byte of the file is one of the unpacked
 * Image. Of a System.map, it is the distance from the first symbol of the code.
 */
bool kernel_names_read(struct symtab *symtab, int fd, const char *path,
		       const char *build_id);
/* As elf_symbols_each(): of an Image its own names, each up to the next one. */
bool kernel_names_each(int fd, const char *path, const char *build_id,
		       bool (*take)(void *cookie, const struct elf_symbol *symbol),
		       void *cookie);
/* As elf_loads(): where its code is. */
size_t kernel_loads(int fd, struct elf_load *loads, size_t room);
/* QEMU's name of what an Image or a bzImage is for; NULL: of another file. */
const char *kernel_isa(int fd);
/* As elf_file_build_id(). */
void kernel_build_id(int fd, char text[ELF_BUILD_ID_TEXT]);

#endif
