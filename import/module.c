// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A foreign record has addresses but no files, so the user names the files. A program
 * that is linked to a fixed address lies there. For any other the user says where it was
 * loaded: "libc.so.6@0x4000816000" puts the file's address 0 there.
 *
 * Segments with code become modules of the trace, each at its linked address plus the
 * base.
 */
#include "import/module.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/*
 * Cuts "@BASE" off the path, and returns the base. What follows the last @ must be a
 * number: paths may have an @ of their own.
 */
static uint64_t cut_base(char *path)
{
	char *at = strrchr(path, '@'), *end;
	uint64_t base;

	if (!at || !at[1])
		return 0;
	base = strtoull(at + 1, &end, 0);
	if (*end)
		return 0;
	*at = 0;
	return base;
}

static int read_file(struct import_module *module, struct wm_error *err)
{
	module->fd = elf_file_open(module->path);
	if (module->fd < 0)
		return wm_fail(err, WM_E_IO, 0, "%s: cannot be opened", module->path);
	module->n = elf_loads(module->fd, module->loads, IMPORT_LOADS);
	if (!module->n)
		return wm_fail(err, WM_E_FORMAT, 0, "%s: no ELF file with code",
			       module->path);
	/* elf_loads() counts all segments, also those without room. */
	if (module->n > IMPORT_LOADS)
		module->n = IMPORT_LOADS;
	elf_file_build_id(module->fd, module->build_id);
	return 0;
}

int import_module_open(struct import_module *module, const char *text,
		       struct wm_error *err)
{
	char *real;

	*module = (struct import_module){ .fd = -1, .path = strdup(text) };
	if (!module->path)
		return wm_fail_nomem(err, "a name");
	module->base = cut_base(module->path);
	/*
	 * The trace keeps an absolute path, because its readers run in other folders.
	 * Without one the name stays, and opening it reports the error.
	 */
	real = realpath(module->path, NULL);
	if (real) {
		free(module->path);
		module->path = real;
	}
	return read_file(module, err);
}

void import_module_close(struct import_module *module)
{
	if (module->fd >= 0)
		close(module->fd);
	free(module->path);
}

int import_module_put(const struct import_module *module, struct import_file *file,
		      struct wm_error *err)
{
	struct wm_module record = { .path = module->path, .build_id = module->build_id };
	int ret = 0;

	for (size_t i = 0; !ret && i < module->n; i++) {
		record.start = module->loads[i].start + module->base;
		record.end = module->loads[i].end + module->base;
		record.file_off = module->loads[i].file_off;
		ret = import_file_module(file, &record, err);
	}
	return ret;
}

/* Whether each byte of both is the same byte of the same file. */
static bool is_same(const struct wm_module *a, const struct wm_module *b)
{
	return a->start - a->file_off == b->start - b->file_off &&
	       !strcmp(a->path, b->path) && !strcmp(a->build_id, b->build_id);
}

/* In one process the later mapping replaces the other, as in the record that is made. */
static bool is_disputed(const struct wm_trace *trace, const struct wm_module *module)
{
	struct wm_module other;

	for (unsigned i = 0; !wm_trace_module(trace, i, &other); i++)
		if (other.space != module->space && *other.path &&
		    other.start < module->end && module->start < other.end &&
		    !is_same(&other, module))
			return true;
	return false;
}

int import_modules_of(const struct wm_trace *trace, struct import_file *file,
		      struct wm_error *err)
{
	struct wm_module module;
	int ret = 0;

	for (unsigned i = 0; !ret && !wm_trace_module(trace, i, &module); i++)
		if (*module.path && !is_disputed(trace, &module))
			ret = import_file_module(file, &module, err);
	return ret;
}
