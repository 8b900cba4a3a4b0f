// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The registry of providers, and they themselves: they only call what reads names from the
 * trace, from ELF files and from kernels.
 *
 * Packed names come first. They were read from the file when it ran, so they are right
 * and the file need not be there. The ELF provider tries the symbol table, then the debug
 * file found by build-id, then the symbols for linking (program/elf/symbols.h); of a kernel
 * that is no ELF file, its own table (program/kernel/image.h). What the recorder packed of
 * the code that ran adds to it: then there may have been a debug file. Where the file is not
 * what ran, or is not there, these names are all.
 */
#include "program/provider.h"

#include <unistd.h>

#include "program/kernel/image.h"
#include "program/known.h"
#include "trace/symtabs.h"

static bool read_packed(struct symtab *names, struct files *files,
			const struct wm_trace *trace, uint32_t file)
{
	if (trace_symtab(trace, files_module(files, file), names, NULL))
		return false;
	files_named(files, file);
	return true;
}

/* Names of code that ran: some of a file's. */
static bool read_ran(struct symtab *names, struct files *files,
		     const struct wm_trace *trace, uint32_t file)
{
	struct codemap map;

	if (trace_codemap(trace, files_module(files, file), &map, NULL))
		return false;
	if (map.names.n_ranges) {
		*names = map.names;
		map.names = SYMTAB_INIT;
	}
	codemap_fini(&map);
	return names->n_ranges;
}

static void add_ran(struct symtab *names, struct files *files,
		    const struct wm_trace *trace, uint32_t file)
{
	struct symtab ran = SYMTAB_INIT;

	if (read_ran(&ran, files, trace, file))
		symtab_merge(names, &ran);
	symtab_fini(&ran);
}

static bool read_elf(struct symtab *names, struct files *files,
		     const struct wm_trace *trace, uint32_t file)
{
	const char *build_id, *path = files_path(files, file, &build_id);
	/* Opened in any case: what is missing is reported. */
	int fd = files_open(files, file);
	bool good;

	if (fd < 0)
		return false;
	good = known_names_get(names, build_id);
	if (!good && (good = kernel_names_read(names, fd, path, build_id)))
		known_names_put(names, build_id);
	close(fd);
	if (good)
		add_ran(names, files, trace, file);
	return good;
}

const struct provider provider_packed = { .name = "packed", .of_file = read_packed };
const struct provider provider_ran = { .name = "ran", .of_file = read_ran };
const struct provider provider_elf = { .name = "elf", .of_file = read_elf };

const struct provider *const providers[] = {
	&provider_packed,
	&provider_elf,
	&provider_ran,
	NULL,
};
