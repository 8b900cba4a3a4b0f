/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program without a library: it begins in cstart(). To be included last. */

asm(".globl _start\n_start: andi sp,sp,-16\n j cstart");
