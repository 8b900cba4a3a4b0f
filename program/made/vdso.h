/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vDSO of a program (program/elf/vdso.h) as code that is in no file. */
#ifndef PROGRAM_MADE_VDSO_H
#define PROGRAM_MADE_VDSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Appends to `text` what made_read_notes() makes pieces of: the functions of a vDSO, which is in
 * data[bytes] and whose first byte is at guest address `start`. False as of vdso_read(); `text` is
 * as it was.
 */
bool made_keep_vdso(struct buf *text, uint64_t start, const uint8_t *data, size_t bytes);

#endif
