/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of code that are packed into a trace. */
#ifndef TRACE_SYMTABS_H
#define TRACE_SYMTABS_H

#include "base/error.h"
#include "format/codemap.h"

/*
 * Reads the names for module `index`, which may be one of trace/made.h; the caller frees them with symtab_fini(). WM_END:
 * there are none; otherwise WM_E_DAMAGED, WM_E_IO, WM_E_NOMEM.
 */
int trace_symtab(const struct wm_trace *trace, unsigned index, struct symtab *symtab,
		 struct wm_error *err);
/* The same of what is known of the code that ran, to be freed with codemap_fini(). */
int trace_codemap(const struct wm_trace *trace, unsigned index, struct codemap *map,
		  struct wm_error *err);
/* Checks the payload of a section of either kind. */
int trace_check_names(uint32_t type, struct span payload, uint64_t off,
		      struct wm_error *err);
/* Reads all packed names and returns the first error. */
int trace_check_symtabs(const struct wm_trace *trace, struct wm_error *err);

#endif
