/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of N-Trace (RISC-V N-Trace 1.0, IEEE-ISTO 5001): their fields, and how these are
 * packed into bytes.
 *
 *	  7   6   5   4   3   2   1   0
 *	+-----------------------+-------+
 *	|          MDO          | MSEO  |	one byte of a message
 *	+-----------------------+-------+
 *
 * Fields follow each other in the MDO bits, the lowest first. One of variable size ends with
 * its byte: MSEO is 1 there, 3 in the last byte of a message, otherwise 0.
 */
#ifndef PACKETS_NEXUS_H
#define PACKETS_NEXUS_H

#include "base/buf.h"
#include "base/error.h"

enum nexus_tcode {
	NEXUS_OWNERSHIP = 2,
	NEXUS_DIRECT_BRANCH = 3,
	NEXUS_INDIRECT_BRANCH = 4,
	NEXUS_ERROR = 8,
	NEXUS_PROG_TRACE_SYNC = 9,
	NEXUS_DIRECT_BRANCH_SYNC = 11,
	NEXUS_INDIRECT_BRANCH_SYNC = 12,
	NEXUS_RESOURCE_FULL = 27,
	NEXUS_INDIRECT_BRANCH_HIST = 28,
	NEXUS_INDIRECT_BRANCH_HIST_SYNC = 29,
	NEXUS_REPEAT_BRANCH = 30,
	NEXUS_PROG_TRACE_CORRELATION = 33,
};

enum nexus_field {
	NEXUS_SYNC,   /* enum nexus_sync */
	NEXUS_B_TYPE, /* enum nexus_b_type */
	NEXUS_RCODE,  /* what is full: enum nexus_rcode */
	NEXUS_EVCODE,
	NEXUS_CDF, /* 1: a history follows */
	NEXUS_ETYPE,
	NEXUS_ECODE,
	NEXUS_I_CNT, /* half-words of instructions since the message before that has it */
	NEXUS_F_ADDR, /* an address without its lowest bit */
	NEXUS_U_ADDR, /* the same, xor the address before */
	NEXUS_HIST,   /* 1, then a bit for each branch, the last one lowest: 1 taken */
	NEXUS_RDATA,
	NEXUS_HREPEAT, /* how often a full history came, with NEXUS_R_REPEATED */
	NEXUS_B_CNT,
	NEXUS_PROCESS, /* nexus_process() */
	NEXUS_FIELDS,
};

enum nexus_sync { NEXUS_SYNC_PERIODIC = 2, NEXUS_SYNC_TRACE_ENABLE = 5 };
enum nexus_b_type {
	NEXUS_B_INDIRECT = 0,
	NEXUS_B_TRAP = 1, /* an exception or an interrupt */
	NEXUS_B_EXCEPTION = 2,
	NEXUS_B_INTERRUPT = 3,
};
enum nexus_rcode { NEXUS_R_I_CNT = 0, NEXUS_R_HIST = 1, NEXUS_R_REPEATED = 2 };
/* What PROCESS has: a new privilege, or after a synchronisation also scontext. */
enum nexus_process { NEXUS_P_PRIVILEGE = 0, NEXUS_P_SCONTEXT = 2, NEXUS_P_HCONTEXT = 3 };
enum { NEXUS_EV_TRACE_DISABLED = 4, NEXUS_SOURCE_BITS_MOST = 12 };

struct nexus_message {
	uint8_t tcode;
	uint16_t source;
	bool has_time;
	uint64_t fields[NEXUS_FIELDS];
	uint64_t time;
};

/* PROCESS: 2 bits of its format, 2 of the privilege, V (0: not virtualised), a context. */
static inline uint64_t nexus_process(enum nexus_process format, unsigned privilege,
				     uint64_t context)
{
	return (uint64_t)format | (uint64_t)privilege << 2 | context << 5;
}

static inline enum nexus_process nexus_process_format(uint64_t process)
{
	return process & 3;
}

static inline uint64_t nexus_process_context(uint64_t process)
{
	return process >> 5;
}

/* What no message says about its fields. */
struct nexus_form {
	unsigned source_bits;
	/*
	 * Virtual addresses optimization: the bits of an address are those of a hart with so
	 * many, and equal ones at the top may be left out. 0: addresses are whole.
	 */
	unsigned extended_xlen;
};

/* Appends a message of one of these codes. */
void nexus_put(struct buf *out, const struct nexus_message *message,
	       const struct nexus_form *form);

enum nexus_found {
	NEXUS_END,     /* no more bytes */
	NEXUS_MESSAGE, /* *message */
	NEXUS_OTHER,   /* a message of another code, which has only code and source */
	NEXUS_BAD,     /* no message; *why says what is wrong */
};

/*
 * Reads the next message at *at of data[bytes] and moves *at after it. Bytes of idle time
 * are skipped.
 */
enum nexus_found nexus_get(const uint8_t *data, size_t bytes, size_t *at,
			   const struct nexus_form *form, struct nexus_message *message,
			   const char **why);

#endif
