// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a file with the names of a kernel: an Image, as it is or compressed, or a
 * System.map; and as what a kernel has of a module. What is taken of them holds together.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "program/kernel/image.h"
#include "program/kernel/loaded.h"

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

static void check_symtab(const struct symtab *symtab)
{
	uint64_t offset;

	for (uint32_t i = 0; i < symtab->n_ranges; i++) {
		MUST(symtab->ranges[i].name < symtab->names.len);
		MUST(!i || symtab->ranges[i - 1].start < symtab->ranges[i].start);
		symtab_find(symtab, i, &offset);
	}
}

static void check_names(int fd)
{
	struct symtab symtab;
	struct elf_load load;

	if (kernel_loads(fd, &load, 1))
		MUST(load.start < load.end);
	if (!kernel_names_read(&symtab, fd, "/nonexistent/Image", ""))
		return;
	check_symtab(&symtab);
	symtab_fini(&symtab);
}

static void check_loaded(struct span data)
{
	struct loaded_module module;

	if (!loaded_read(&module, data))
		return;
	for (unsigned i = 0; i < LOADED_PARTS; i++)
		MUST(module.parts[i].start <= module.parts[i].end);
	check_symtab(&module.names);
	loaded_fini(&module);
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
	check_loaded(span_of(data, bytes));
	close(fd);
	return 0;
}
