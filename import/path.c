// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cuts the instructions of a RISC-V program into blocks.
 *
 * QEMU's blocks end at instructions that may jump and at the end of a page, and these do,
 * too, so that answers by block are those of a recording. The path does not depend on it,
 * because it is made of instructions. Where control continues
 * elsewhere after any other instruction, a trap was the cause, and the block is as long
 * as what ran of it. So no block is ever left early.
 *
 * Example: 1000 addi, 1004 bne, 1000 addi, 2000 sd (a handler) and so on make the blocks
 * {1000, addi bne}, {1000, addi}, {2000, ...}.
 */
#include "import/path.h"

#include "isa/flow.h"

enum { PAGE = 4096 };

void import_path_init(struct import_path *path, struct import_file *file, unsigned xlen)
{
	path->file = file;
	path->xlen = xlen;
	path->insns = path->bytes = 0;
}

int import_path_end(struct import_path *path, struct wm_error *err)
{
	struct wm_block block = { .address = path->start,
				  .insns = path->insns,
				  .bytes = path->bytes,
				  .code = path->code };
	uint32_t id;
	int ret;

	if (!path->insns)
		return 0;
	/* The next block is empty, whether this one can be written or not. */
	path->insns = path->bytes = 0;
	ret = import_file_block(path->file, &block, &id, err);
	return ret ? ret : import_file_enter(path->file, id, err);
}

/*
 * Whether the instruction at an address may be in the block. Control that did not come from
 * the instruction before is a trap. One that crosses the end of a page is a block of its own.
 */
static bool may_join(const struct import_path *path, uint64_t address, unsigned bytes)
{
	return address == path->start + path->bytes &&
	       (address + bytes - 1) / PAGE == path->start / PAGE;
}

int import_path_take(struct import_path *path, uint64_t address, uint32_t word, bool ends,
		     struct wm_error *err)
{
	unsigned bytes = (word & 3) == 3 ? 4 : 2;
	int ret = 0;

	if (path->insns && !may_join(path, address, bytes))
		ret = import_path_end(path, err);
	if (!path->insns)
		path->start = address;
	for (unsigned i = 0; i < bytes; i++)
		path->code[path->bytes++] = (uint8_t)(word >> 8 * i);
	/* Full: code[] has room for no more. */
	if (++path->insns == BLOCK_INSNS_MAX || ends)
		ret = ret ? ret : import_path_end(path, err);
	return ret;
}

/*
 * All SYSTEM instructions: an ecall leads into a kernel, which may return elsewhere, and
 * a write of a CSR may change what comes next. After a fence.i other code may be there.
 */
static bool may_leave(uint32_t word)
{
	return (word & 0x7f) == 0x73 || (word & 0x707f) == 0x100f;
}

int import_path_insn(struct import_path *path, uint64_t address, uint32_t word,
		     struct wm_error *err)
{
	bool ends = flow_riscv(word, path->xlen, address).kind != FLOW_ON ||
		    may_leave(word);

	return import_path_take(path, address, word, ends, err);
}
