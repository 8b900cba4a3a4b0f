/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A .wmk file that is made of another tool's record of a run: one guest program, and one
 * stream after the other. Its only clock is that of the record. It gets its name only
 * when it is finished.
 */
#ifndef IMPORT_FILE_H
#define IMPORT_FILE_H

#include <stdbool.h>

#include "waymark.h"

struct import_file;

struct import_facts {
	const char *isa;      /* QEMU's name: "riscv64" */
	const char *imported; /* what it is made of: "Spike's log spike.log" */
	const char *program;  /* path of the guest program; NULL: not known */
};

int import_file_open(struct import_file **file, const char *path,
		     const struct import_facts *facts, struct wm_error *err);
/* Gives up, unless it was finished, and frees it. NULL is allowed. */
void import_file_free(struct import_file *file);

/* A file of the guest's is mapped from the first block on; module->space is not used. */
int import_file_module(struct import_file *file, const struct wm_module *module,
		       struct wm_error *err);

/*
 * *id is the block with that address and code, which is new or not. block->sizes is needed
 * only of guests other than RISC-V. WM_E_FORMAT: it cannot be a block.
 */
int import_file_block(struct import_file *file, const struct wm_block *block,
		      uint32_t *id, struct wm_error *err);

/*
 * Whether the record must tell the texts of a block, because readers cannot: ARM's when its
 * bytes do not say which instruction set they are of.
 */
bool import_file_needs_texts(const struct import_file *file,
			     const struct wm_block *block);
/* The text of code[size] at `address`. */
int import_file_text(struct import_file *file, uint64_t address, const uint8_t *code,
		     uint8_t size, const char *text, struct wm_error *err);

/* Starts a stream; the one before has ended. tid 0: not known. */
int import_file_stream(struct import_file *file, uint32_t vcpu, uint32_t tid,
		       struct wm_error *err);
/* It enters block `id`. */
int import_file_enter(struct import_file *file, uint32_t id, struct wm_error *err);
/* At this time it comes to its next block. Times that go back count as the last one. */
void import_file_clock(struct import_file *file, uint64_t ns);
/* What happened before its next block: a kind of event of a thread, and its numbers. */
int import_file_event(struct import_file *file, uint32_t kind, const uint64_t *fields,
		      unsigned n, struct wm_error *err);
/* The next block is entered after code that the record does not have. */
int import_file_gap(struct import_file *file, struct wm_error *err);

struct import_sums {
	uint64_t insns, blocks, bytes; /* bytes: of the whole file */
	uint32_t streams;
};

/* Ends the last stream and the file. `cut`: why something is missing, or "". */
int import_file_finish(struct import_file *file, const char *cut,
		       struct import_sums *sums, struct wm_error *err);

#endif
