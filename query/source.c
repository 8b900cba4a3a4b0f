// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What every listing and every query needs of a trace, opened together: the names of
 * code, the kernel's names of system calls, and what the guest's ISA means for the width
 * of addresses. A trace that the caller opened stays the caller's (`opened` is NULL).
 */
#include "query/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "isa/arm.h"
#include "program/demangle.h"
#include "program/elf/search.h"
#include "trace/trace.h"

/* The ISAs whose listings differ from the others. */
static enum source_isa isa_of(const char *isa)
{
	if (!strncmp(isa, "riscv", 5))
		return SOURCE_RISCV;
	if (!strcmp(isa, "arm"))
		return SOURCE_ARM;
	return !strcmp(isa, "x86_64") || !strcmp(isa, "i386") ? SOURCE_X86 : SOURCE_OTHER;
}

/*
 * Sets the widths of addresses. log_digits is that of QEMU's log, which a format imitates
 * and which depends on QEMU's version.
 */
static void set_isa(struct source *source)
{
	const char *isa = wm_trace_meta(source->trace, "guest-isa");
	const char *version = wm_trace_meta(source->trace, "qemu-version");
	/* The words in guest-isa of the guests that have 32 bits. */
	bool is_32 = isa &&
		     (strstr(isa, "32") || !strcmp(isa, "arm") || !strcmp(isa, "i386"));

	source->kernel = kernel_find(isa);
	source->isa = isa_of(isa ? isa : "");
	source->address_digits = is_32 ? 8 : 16;
	/* QEMU 7.2 pads addresses of RISC-V to their width, others to 8 digits. */
	source->log_digits = source->isa == SOURCE_RISCV && version &&
					     !strncmp(version, "7.", 2) ?
				     source->address_digits :
				     8;
}

/* The trace may have the names of a missing file packed; it never has lines. */
static void warn_of_missing(void *cookie, const struct missing_file *missing)
{
	listener_warn(cookie, "%s %s: %s of its code are not known", missing->path,
		      missing->changed ? "was changed since it ran" : "is missing",
		      missing->named ? "lines" : "names and lines");
}

/* The listener may be NULL: listener_warn() ignores it. */
int source_init(struct source *source, const struct wm_trace *trace,
		const struct listener *listener, struct wm_error *err)
{
	int ret;

	elf_search_online(true);
	source->trace = trace;
	source->opened = NULL;
	source->lines = NULL;
	ret = symbols_new(&source->symbols, trace, err);
	if (ret)
		return ret;
	set_isa(source);
	symbols_on_missing(source->symbols, warn_of_missing, (void *)listener);
	return 0;
}

void source_warn_if_cut(const struct wm_trace *trace, const char *file,
			const struct listener *listener)
{
	struct wm_summary summary;

	wm_trace_summary(trace, &summary);
	if (!summary.complete)
		listener_warn(listener, "%s is cut short: %s", file, summary.cut);
}

/* An incomplete trace is listed, with a warning. */
int source_open(struct source *source, const char *file, const struct listener *listener,
		struct wm_error *err)
{
	return source_open_taped(source, file, NULL, listener, err);
}

int source_open_taped(struct source *source, const char *file, struct tape *tape,
		      const struct listener *listener, struct wm_error *err)
{
	struct wm_trace *trace;
	int ret = tape ? trace_open_taped(&trace, file, tape, err) :
			 wm_trace_open(&trace, file, err);

	if (ret)
		return ret;
	ret = source_init(source, trace, listener, err);
	if (ret) {
		wm_trace_close(trace);
		return ret;
	}
	source->opened = trace;
	source_warn_if_cut(trace, file, listener);
	return 0;
}

/*
 * Cuts the pid after the last colon off; 0 when there is none. A file name may contain
 * colons, so what follows must be a number without a leading zero.
 */
static uint32_t take_pid(char *table)
{
	char *colon = strrchr(table, ':'), *end;
	unsigned long pid;

	if (!colon || colon[1] < '1' || colon[1] > '9')
		return 0;
	pid = strtoul(colon + 1, &end, 10);
	if (*end || pid > INT32_MAX)
		return 0;
	*colon = 0;
	return (uint32_t)pid;
}

/* The text stays the caller's: a copy is cut. */
int source_add_table(struct source *source, const char *table, struct wm_error *err)
{
	char *path = strdup(table);
	uint32_t pid;
	int ret;

	if (!path)
		return wm_fail_nomem(err, "names of code");
	pid = take_pid(path);
	ret = symbols_add(source->symbols, path, pid, err);
	free(path);
	return ret;
}

int source_add_tables(struct source *source, const struct scope *scope,
		      struct wm_error *err)
{
	int ret = 0;

	/* Without the option what the command has set stays (waymark sql). */
	if (scope->symfs)
		elf_search_below(scope->symfs);
	for (unsigned i = 0; !ret && i < scope->n_tables; i++)
		ret = source_add_table(source, scope->tables[i], err);
	return ret;
}

/*
 * ARM and Thumb share one ISA in the trace; arm_set_of() finds out which by the block's
 * code, and where that could be of both, QEMU's text of it tells.
 */
unsigned source_code_unit(const struct source *source, uint32_t id,
			  const struct wm_block *block, uint32_t index)
{
	enum arm_set set;

	if (source->isa == SOURCE_X86)
		return 1;
	if (source->isa != SOURCE_ARM || source->address_digits != 8)
		return block->sizes[index];
	set = arm_set_of(block->address, block->sizes, block->insns, block->code);
	if (set == ARM_EITHER && trace_is_thumb(source->trace, id, index))
		set = ARM_THUMB;
	return set == ARM_THUMB ? 2 : block->sizes[index];
}

const char source_no_lines[] =
	"no source line is known of any of this code: that needs debugging information";

int source_find_lines(struct source *source, struct wm_error *err)
{
	return srclines_new(&source->lines, source->symbols, err);
}

void source_close(struct source *source)
{
	/* A trace that the caller opened stays open. */
	srclines_free(source->lines);
	symbols_free(source->symbols);
	source->symbols = NULL;
	if (source->opened)
		wm_trace_close(source->opened);
}

/* Of the file's path only the last component is printed. */
void source_name(const struct source *source, uint32_t space, uint64_t address,
		 uint32_t id, struct code_name *place)
{
	struct symbol symbol = { 0 };
	const char *slash;

	symbols_find(source->symbols, space, address, id, &symbol);
	slash = symbol.module ? strrchr(symbol.module, '/') : NULL;
	place->symbol = symbol.name;
	place->module = slash ? slash + 1 : symbol.module;
	place->offset = symbol.offset;
}

char *source_title(const struct code_name *place)
{
	if (place->symbol)
		return demangle(place->symbol);
	return strdup(place->module ? place->module : "[anonymous]");
}

bool source_srcline(const struct source *source, uint32_t space, uint64_t address,
		    uint32_t id, struct srcline *line)
{
	struct origin origin;

	return source->lines &&
	       symbols_origin(source->symbols, space, address, id, &origin) &&
	       srclines_at(source->lines, &origin, line);
}
