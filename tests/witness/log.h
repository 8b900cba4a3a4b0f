/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a witness saw, in files that outlive its process: one for each guest thread,
 * DIR/PID.IMAGE.VCPU.GENERATION, written through a shared mapping. IMAGE counts what ran
 * under one pid: 0, and one more after each execve that loads the witness again.
 *
 * A file is a ring: entry n is at n % capacity. `head` is stored after the entry it
 * counts, so that whatever kills the process, the entries below it are there. All entries
 * of a witness have one size.
 */
#ifndef TESTS_WITNESS_LOG_H
#define TESTS_WITNESS_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_entry {
	uint64_t address;
	uint32_t code; /* an instruction's first four bytes */
	uint32_t size; /* of an instruction, in bytes; of a block, in instructions */
};

struct log {
	_Atomic uint64_t head; /* entries ever put */
	uint64_t capacity;
	uint32_t tid;
	_Alignas(4096) uint8_t entries[];
};

/*
 * Files go to `dir`, each with room for `capacity` entries of that size; false: errno says
 * why.
 */
bool log_open(const char *dir, uint64_t capacity, size_t entry_bytes);

#define LOG_VCPUS_MAX 4096

/*
 * A new thread begins on this vCPU, below LOG_VCPUS_MAX: what it does goes to a new file.
 */
void log_thread(unsigned vcpu);

/*
 * Appends to the file of the thread that runs on the vCPU, and is the caller. Returns how
 * many entries it has had.
 */
uint64_t log_put(unsigned vcpu, const void *entry);

#endif
