/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logs with a line for each executed instruction: its address, and what it did to registers
 * and memory, as far as the log has that:
 *
 * - Spike's -l, --log-commits, or both: see trace/spikeline.h
 * - QEMU's contributed execlog plugin (contrib/plugins/execlog.c):
 *	0, 0x10556, 0x6422, "ld s0,8(sp)", load, 0x4000800508, RAM, s0 -> 0x0000000000000001
 * - lines in the form of QEMU's -d in_asm, each for one execution (waymark insns --format
 *   qemu):
 *	0x0000000000010584:  022000ef          jal ra,34
 */
#ifndef TRACE_PCLOG_H
#define TRACE_PCLOG_H

#include <stdbool.h>

#include "trace/logvalues.h"

enum pclog_form { PCLOG_SPIKE, PCLOG_EXECLOG, PCLOG_QEMU };

/* From position `begin` of a CPU's sequence on, other code runs. */
struct pclog_piece {
	uint64_t begin;
	uint32_t who; /* see trace/privilege.h; in the end PRIVILEGE_USER or _KERNEL */
};

struct pclog_cpu {
	struct pclog_piece *pieces; /* [n]; none: all of it counts */
	size_t n;
	uint64_t insns; /* instructions that count */
};

struct pclog {
	uint64_t *pcs;	 /* [n]: the address of id 1, 2, ... */
	uint32_t *words; /* [n] the instruction there; 0: not known */
	uint32_t n;
	struct logspool *spool; /* the ids, in order, of each hart or vCPU */
	struct pclog_cpu *all;	/* [LOGSPOOL_CPUS] */
	unsigned cpus; /* highest CPU number with instructions that count, plus 1 */
	/*
	 * What counts is known to be user mode. Otherwise other code may have run before
	 * the program: a boot ROM.
	 */
	bool user;
	/*
	 * A line of PCLOG_QEMU has an instruction that is not one number of two or four
	 * bytes, as all of RISC-V's are.
	 */
	bool in_parts;
	/*
	 * What instructions did, by their position in the CPU's sequence. A load has the data
	 * that the instruction's first register got, whatever its own size.
	 */
	struct logvalues values;
	/*
	 * Registers from this number on are there only when their value is another than
	 * before, or not always.
	 */
	uint32_t changes_from;
};

/*
 * Reads a log to its end from `fd`, which remains the caller's. *log is the caller's to
 * free. Of a log of Spike, the instructions that user mode completed count; all of them
 * when there is no user mode. WM_E_FORMAT when it is no such log, WM_E_IO, WM_E_NOMEM.
 */
int pclog_read(struct pclog **log, enum pclog_form form, int fd, struct wm_error *err);
/* The same of a guest of `isa`, as QEMU names it; otherwise it is "riscv64". */
int pclog_read_of(struct pclog **log, enum pclog_form form, const char *isa, int fd,
		  struct wm_error *err);
void pclog_free(struct pclog *log);

/* The number of instructions of a CPU that count. */
uint64_t pclog_length(const struct pclog *log, unsigned cpu);
/* The number of all instructions of the log, also of those that do not count. */
uint64_t pclog_all(const struct pclog *log);

struct pclog_reader {
	const struct pclog_cpu *of;
	struct logspool_reader spool;
	uint64_t at; /* in the CPU's sequence */
	size_t piece;
};

/* Starts to read the instructions of a CPU that count. `log` must outlive the reader. */
void pclog_reader_init(struct pclog_reader *reader, const struct pclog *log,
		       unsigned cpu);
/* The next ids, at least one: ids[n], valid until the next call. WM_END, WM_E_IO. */
int pclog_next(struct pclog_reader *reader, const uint32_t **ids, size_t *n,
	       struct wm_error *err);

/*
 * The same of what they did; `position` is then the number of the instruction among those
 * that count.
 */
struct pclog_values {
	const struct pclog_cpu *of;
	struct logvalues_reader values;
	size_t piece;
	uint64_t left_out; /* instructions of earlier pieces that do not count */
};
void pclog_values_init(struct pclog_values *reader, const struct pclog *log,
		       unsigned cpu);
/* WM_END, WM_E_IO. */
int pclog_values_next(struct pclog_values *reader, struct logvalue *value,
		      struct wm_error *err);

/* Whether a file begins with a line of the form PCLOG_QEMU. Not for pipes. */
bool pclog_is_listing(int fd);

#endif
