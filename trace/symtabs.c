// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names that are packed into the trace: all of a file's (SYMS), and what is known of its code
 * that ran (CODE).
 *
 * A file is identified by its build-id. Its path counts only when neither the names nor
 * the module have a build-id, because a file may have moved, but two builds never have
 * the same names.
 *
 * Example: names of build 4f2a were packed from /build/app. A module /usr/bin/app of
 * build 4f2a has these names; one of build 77c0 has none.
 */
#include "trace/symtabs.h"

#include <string.h>

#include "trace/trace.h"

/* Compares build-ids; when both are empty, paths. */
static bool is_of(const struct symtab_head *head, const struct module_record *module)
{
	return !strcmp(head->build_id, module->build_id) &&
	       (*head->build_id || !strcmp(head->path, module->path));
}

static const struct trace_symtab *find(const struct wm_trace *trace, uint32_t type,
				       const struct module_record *module)
{
	/* The first match counts. */
	for (uint32_t i = 0; i < trace->symtab_count; i++)
		if (trace->symtabs[i].section.type == type &&
		    is_of(&trace->symtabs[i].head, module))
			return &trace->symtabs[i];
	return NULL;
}

bool trace_is_packed(const struct wm_trace *trace, const struct module_record *module)
{
	return find(trace, SECTION_SYMS, module);
}

/* The file of a range of code that was made at run time. */
static const struct module_record *made_file(const struct wm_trace *trace, uint32_t range)
{
	return &trace->made_files[trace->made[range].file];
}

/* A sound span means that there was no memory. */
static int not_got(const struct span *payload, uint64_t off, struct wm_error *err)
{
	return payload->failed ? wm_fail(err, WM_E_DAMAGED, off,
					 "a section of names is malformed") :
				 wm_fail_nomem(err, "names of code");
}

/*
 * The head is parsed once more and dropped: the names come after it in the payload.
 */
static bool pass_head(struct span *payload)
{
	struct symtab_head head;
	bool good = symtab_get_head(payload, &head);

	if (good)
		symtab_head_fini(&head);
	return good;
}

static int get_names(struct span payload, uint64_t off, struct symtab *symtab,
		     struct wm_error *err)
{
	bool good = pass_head(&payload) && symtab_get(&payload, symtab);

	return good ? 0 : not_got(&payload, off, err);
}

static int get_code(struct span payload, uint64_t off, struct codemap *map,
		    struct wm_error *err)
{
	bool good = pass_head(&payload) && codemap_get(&payload, map);

	return good ? 0 : not_got(&payload, off, err);
}

/* The section of a type for a module; WM_END: there is none. */
static int read_of(const struct wm_trace *trace, unsigned index, uint32_t type,
		   struct buf *payload, uint64_t *off, struct wm_error *err)
{
	const struct trace_symtab *packed;

	/* The module may be mapped in any number of spaces; the names are the same. */
	if (index < trace->module_count)
		packed = find(trace, type, &trace->modules[index]);
	else if (index - trace->module_count < trace->made_count)
		packed = find(trace, type, made_file(trace, index - trace->module_count));
	else
		return wm_fail(err, WM_E_RANGE, 0, "there is no module %u", index);
	if (!packed)
		return WM_END;
	*off = packed->section.off;
	return reader_read(trace->reader, &packed->section, payload, err);
}

int trace_symtab(const struct wm_trace *trace, unsigned index, struct symtab *symtab,
		 struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	uint64_t off;
	int ret = read_of(trace, index, SECTION_SYMS, &payload, &off, err);

	if (!ret)
		ret = get_names(span_of(payload.data, payload.len), off, symtab, err);
	buf_fini(&payload);
	return ret;
}

int trace_codemap(const struct wm_trace *trace, unsigned index, struct codemap *map,
		  struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	uint64_t off;
	int ret = read_of(trace, index, SECTION_CODE, &payload, &off, err);

	if (!ret)
		ret = get_code(span_of(payload.data, payload.len), off, map, err);
	buf_fini(&payload);
	return ret;
}

/* What is got is dropped: this is only to find damage. */
int trace_check_names(uint32_t type, struct span payload, uint64_t off,
		      struct wm_error *err)
{
	struct symtab symtab;
	struct codemap map;
	int ret;

	if (type == SECTION_SYMS) {
		ret = get_names(payload, off, &symtab, err);
		if (!ret)
			symtab_fini(&symtab);
	} else {
		ret = get_code(payload, off, &map, err);
		if (!ret)
			codemap_fini(&map);
	}
	return ret;
}

/*
 * Each section is parsed as a whole, which finds what a checksum does not: a writer's
 * error.
 */
int trace_check_symtabs(const struct wm_trace *trace, struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < trace->symtab_count; i++) {
		const struct section *section = &trace->symtabs[i].section;

		payload.len = 0;
		ret = reader_read(trace->reader, section, &payload, err);
		if (!ret)
			ret = trace_check_names(section->type,
						span_of(payload.data, payload.len),
						section->off, err);
	}
	buf_fini(&payload);
	return ret;
}
