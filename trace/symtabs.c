// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names that are packed into the trace: symbol tables and line tables of files.
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

static const struct trace_symtab *find(const struct wm_trace *trace,
				       const struct module_record *module)
{
	/* The first match counts. */
	for (uint32_t i = 0; i < trace->symtab_count; i++)
		if (is_of(&trace->symtabs[i].head, module))
			return &trace->symtabs[i];
	return NULL;
}

bool trace_is_packed(const struct wm_trace *trace, const struct module_record *module)
{
	return find(trace, module);
}

int trace_get_names(struct span payload, uint64_t off, struct symtab *symtab,
		    struct wm_error *err)
{
	struct symtab_head head;
	bool good = symtab_get_head(&payload, &head);

	/*
	 * The head is parsed once more and dropped: the names come after it in the
	 * payload.
	 */
	if (good) {
		symtab_head_fini(&head);
		good = symtab_get(&payload, symtab);
	}
	if (good)
		return 0;
	/* A sound span means that there was no memory. */
	return payload.failed ? wm_fail(err, WM_E_DAMAGED, off,
					"a section of names is malformed") :
				wm_fail_nomem(err, "names of code");
}

static int read_names(const struct wm_trace *trace, const struct trace_symtab *packed,
		      struct symtab *symtab, struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	int ret = reader_read(trace->reader, &packed->section, &payload, err);

	if (!ret)
		ret = trace_get_names(span_of(payload.data, payload.len),
				      packed->section.off, symtab, err);
	buf_fini(&payload);
	return ret;
}

int trace_symtab(const struct wm_trace *trace, unsigned index, struct symtab *symtab,
		 struct wm_error *err)
{
	const struct trace_symtab *packed;

	/* The module may be mapped in any number of spaces; the names are the same. */
	if (index >= trace->module_count)
		return wm_fail(err, WM_E_RANGE, 0, "there is no module %u", index);
	packed = find(trace, &trace->modules[index]);
	return packed ? read_names(trace, packed, symtab, err) : WM_END;
}

int trace_check_symtabs(const struct wm_trace *trace, struct wm_error *err)
{
	struct symtab symtab;
	int ret = 0;

	/*
	 * Each section is parsed as a whole, which finds what a checksum does not: a
	 * writer's error.
	 */
	for (uint32_t i = 0; !ret && i < trace->symtab_count; i++) {
		ret = read_names(trace, &trace->symtabs[i], &symtab, err);
		if (!ret)
			symtab_fini(&symtab);
	}
	return ret;
}
