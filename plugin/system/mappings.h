/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which code of a machine comes from which file, as far as orders name it: files that its
 * processes map, and modules of its kernel. Spaces are the numbers that messages have.
 *
 * All but mappings_at() are called under link_lock().
 */
#ifndef PLUGIN_SYSTEM_MAPPINGS_H
#define PLUGIN_SYSTEM_MAPPINGS_H

#include "plugin/core/emulation.h"
#include "plugin/system/linux.h"

/* The number for messages of what is mapped; 0: nothing of it can be named. */
uint32_t mappings_number(const struct linux_mapping *mapping);
/* The same of a module, each time that one is loaded. */
uint32_t mappings_module_number(void);

/*
 * Code of the file with that number is at start..end in a space from now on, and what was there
 * is not. Byte 0 of the file is, or would be, `distance` above address 0. Called when the
 * collector has ordered what it wants of the file.
 */
void mappings_add(uint32_t space, uint64_t start, uint64_t end, uint64_t distance,
		  uint32_t number);
/* A space begins with what another one has. */
void mappings_copy(uint32_t space, uint32_t from);
void mappings_end(uint32_t space);

/* As emulation.find_file. */
struct code_file mappings_file(uint32_t file);
/* The number of a code_origin, for what a hart runs in a space. Takes the lock. */
uint32_t mappings_at(unsigned hart, uint32_t space, uint64_t address);

#endif
