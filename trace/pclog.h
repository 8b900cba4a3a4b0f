/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logs with a line for each instruction executed, of which the address counts:
 *
 *  - Spike's -l (riscv-isa-sim, processor_t::disasm()):
 *	core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0
 *	core   0: Executed 5 times		the line before, in all
 *	core   0: >>>>  main			and other remarks, which are passed over
 *  - QEMU's contributed execlog plugin (contrib/plugins/execlog.c):
 *	0, 0x10556, 0x6422, "ld s0,8(sp)", load, 0x4000800508
 *  - lines of the form of QEMU's -d in_asm, each for one execution (waymark insns
 *    --format qemu):
 *	0x0000000000010584:  022000ef          jal ra,34
 */
#ifndef TRACE_PCLOG_H
#define TRACE_PCLOG_H

#include <stdbool.h>

#include "trace/logspool.h"
#include "waymark.h"

enum pclog_form { PCLOG_SPIKE, PCLOG_EXECLOG, PCLOG_QEMU };

struct pclog {
	uint64_t *pcs; /* [n]: the address of id 1, 2, ... */
	uint32_t n;
	struct logspool *spool; /* the ids, in order, of each hart or vCPU */
	unsigned cpus;		/* one more than the highest number seen */
};

/*
 * Reads a log to its end from `fd`, which stays the caller's. *log is the caller's to
 * free. WM_E_FORMAT when it is no such log, WM_E_IO, WM_E_NOMEM.
 */
int pclog_read(struct pclog **log, enum pclog_form form, int fd, struct wm_error *err);
void pclog_free(struct pclog *log);

/* Whether a file, at its beginning, has lines of the form PCLOG_QEMU. Not of a pipe. */
bool pclog_is_listing(int fd);

#endif
