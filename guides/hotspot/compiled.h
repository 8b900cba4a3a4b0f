/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What HotSpot's compilers made, and its other code. */
#ifndef GUIDES_HOTSPOT_COMPILED_H
#define GUIDES_HOTSPOT_COMPILED_H

#include <stdint.h>

#include "guides/hotspot/vm.h"

/*
 * Tells a compiled method: code[bytes] of a Method. `info` is what JVMTI gives for it, a
 * jvmtiCompiledMethodLoadRecordHeader or NULL.
 */
void compiled_tell(const struct vm *vm, const char *method, const void *code,
		   uint32_t bytes, const void *info);
/* Tells code that belongs to no method, an adapter or a stub. */
void compiled_tell_other(const char *name, const void *code, uint32_t bytes);
/* The code at that address is gone. */
void compiled_tell_gone(const void *code);

#endif
