/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vDSO: an ELF file in the memory of each program, which a kernel or an emulator puts there. It
 * is found in the memory, because it is no file.
 */
#ifndef PROGRAM_MADE_VDSO_H
#define PROGRAM_MADE_VDSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The file that its code is shown as of. */
#define VDSO_MODULE "[vdso]"

/*
 * Appends to `text` what made_read_notes() makes pieces of: the functions of a vDSO, which is in
 * data[bytes] and whose first byte is at guest address `start`. The data come from a guest. False:
 * it is another ELF file or none, or no memory; `text` is as it was.
 */
bool made_keep_vdso(struct buf *text, uint64_t start, const uint8_t *data, size_t bytes);

#endif
