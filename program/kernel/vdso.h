/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vDSO that a kernel gives its programs, as it is in the kernel's file. */
#ifndef PROGRAM_KERNEL_VDSO_H
#define PROGRAM_KERNEL_VDSO_H

#include "program/elf/vdso.h"

/*
 * Reads that of 64-bit programs from a kernel open at `fd`, an ELF file or what kernel_image_read()
 * takes. False as of vdso_read(). It can take a tenth of a second.
 */
bool kernel_vdso_read(struct vdso *vdso, int fd);

#endif
