/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Methods with bytecode: where it is, and which lines it has. */
#ifndef GUIDES_HOTSPOT_METHODS_H
#define GUIDES_HOTSPOT_METHODS_H

#include <stdint.h>

#include "base/buf.h"
#include "guides/hotspot/vm.h"

/* Tells all methods of the class that has this Method. */
void methods_tell(const struct vm *vm, const char *method);

/* Of a Method: "java.lang.String.indexOf", its signature and "java/lang/String.java". */
void method_put_name(const struct vm *vm, struct buf *out, const char *method);
void method_put_signature(const struct vm *vm, struct buf *out, const char *method);
void method_put_file(const struct vm *vm, struct buf *out, const char *method);
/* The guest address of its bytecode, as methods_tell() tells it. */
uint64_t method_bytecode(const struct vm *vm, const char *method);
/*
 * The line of each byte of its bytecode, of *bytes: 0 where it is unknown. The caller frees it; NULL:
 * no memory.
 */
uint32_t *method_lines(const struct vm *vm, const char *method, uint32_t *bytes);

#endif
