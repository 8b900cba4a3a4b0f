/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The execution-flow graph of a method that an interpreter ran: pieces of bytecode that ran
 * one after the other, and which piece came after which, each with when that was first.
 */
#ifndef EXPORT_FLOW_GRAPH_H
#define EXPORT_FLOW_GRAPH_H

#include <stdio.h>

#include "analysis/methods/bytecodes.h"

/*
 * Writes the graphs of all methods that ran and whose name fits a pattern of fnmatch(3): JSON,
 * an array of objects; or graphviz's language. Methods must be known (bytecodes->methods). The
 * caller checks the stream for errors.
 * WM_E_RANGE when nothing matches, WM_E_NOMEM.
 */
int flow_graph_json(FILE *out, const struct bytecodes *bytecodes, const char *pattern,
		    struct wm_error *err);
int flow_graph_dot(FILE *out, const struct bytecodes *bytecodes, const char *pattern,
		   struct wm_error *err);

#endif
