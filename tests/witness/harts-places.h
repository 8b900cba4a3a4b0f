/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values at places, as the witness of whole machines sees them. */
#ifndef TESTS_WITNESS_HARTS_PLACES_H
#define TESTS_WITNESS_HARTS_PLACES_H

#include "harts.h"
#include "plugin/qemu_api.h"

/* ADDRESS@ITEM.ITEM...: NAME, or NAME+OFFSET:BYTES. Before the machine runs. */
void places_add(const char *text);
bool places_are_wanted(void);
/* The machine has these registers. */
void places_find(const GArray *registers);
/* An instruction is about to run; adds what is wanted there. */
void places_look(uint64_t pc, GByteArray *bytes, struct harts_sum *sum);

#endif
