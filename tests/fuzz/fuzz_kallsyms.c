// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a file with the names of a kernel: an Image, as it is or compressed, or a
 * System.map. What is taken of them holds together.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "program/kernel/image.h"

static void check(const struct kernel_image *image)
{
	const struct kernel_symbols *symbols = &image->symbols;

	MUST(image->start <= image->end && strlen(image->build_id) <= 40);
	MUST(!symbols->n || !symbols->texts.data[symbols->texts.len - 1]);
	for (uint32_t i = 0; i < symbols->n; i++) {
		MUST(symbols->all[i].name < symbols->texts.len);
		MUST(!i || symbols->all[i - 1].address <= symbols->all[i].address);
	}
}

static void check_names(int fd)
{
	struct symtab symtab;
	struct elf_load load;
	uint64_t offset;

	if (kernel_loads(fd, &load, 1))
		MUST(load.start < load.end);
	if (!kernel_names_read(&symtab, fd, "/nonexistent/Image", ""))
		return;
	for (uint32_t i = 0; i < symtab.n_ranges; i++) {
		MUST(symtab.ranges[i].name < symtab.names.len);
		MUST(!i || symtab.ranges[i - 1].start < symtab.ranges[i].start);
		symtab_find(&symtab, i, &offset);
	}
	symtab_fini(&symtab);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	int fd = memfd_create("kernel", MFD_CLOEXEC);
	struct kernel_symbols symbols;
	struct kernel_image image;

	watch_cpu();
	MUST(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	if (kallsyms_read(&symbols, data, bytes))
		kernel_symbols_fini(&symbols);
	if (kernel_image_read(&image, fd)) {
		check(&image);
		kernel_image_fini(&image);
	}
	check_names(fd);
	close(fd);
	return 0;
}
