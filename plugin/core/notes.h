/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notes: what the guest's own code tells the recorder, by a system call that no kernel has
 * (format/note.h).
 */
#ifndef PLUGIN_CORE_NOTES_H
#define PLUGIN_CORE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies memory of the guest; false: it cannot be read. */
typedef bool notes_reader(uint64_t address, void *to, size_t bytes);

/* The thread on `vcpu` makes that call. Data that cannot be read makes no note. */
void notes_send(unsigned vcpu, notes_reader *read, uint64_t kind, uint64_t address,
		uint64_t bytes);
/* In a forked child, whose lanes begin anew. */
void notes_begin_child(void);

#endif
