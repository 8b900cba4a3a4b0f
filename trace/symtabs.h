/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of code that were packed into a trace. */
#ifndef TRACE_SYMTABS_H
#define TRACE_SYMTABS_H

#include "base/error.h"
#include "format/symtab.h"

/*
 * Reads those for module `index`, which are the caller's to symtab_fini(). WM_END: there
 * are none; else WM_E_DAMAGED, WM_E_IO, WM_E_NOMEM.
 */
int trace_symtab(const struct wm_trace *trace, unsigned index, struct symtab *symtab,
		 struct wm_error *err);
/* Those of a payload, of a section at `off`: the caller's, too. */
int trace_get_names(struct span payload, uint64_t off, struct symtab *symtab,
		    struct wm_error *err);
/* Reads all of them; the first fault. */
int trace_check_symtabs(const struct wm_trace *trace, struct wm_error *err);

#endif
