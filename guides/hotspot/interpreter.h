/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HotSpot's interpreter, which is made when a JVM starts. */
#ifndef GUIDES_HOTSPOT_INTERPRETER_H
#define GUIDES_HOTSPOT_INTERPRETER_H

#include "guides/hotspot/vm.h"

/*
 * Tells its codelets, and which instructions fetch bytecodes. Before any bytecode runs:
 * code that QEMU has translated before has no values.
 */
void interpreter_tell(const struct vm *vm);
/*
 * Whether a method that is entered there has its bytecodes executed: for some methods of the
 * JDK the interpreter has code of its own.
 */
bool interpreter_runs_from(uint64_t entry);

#endif
