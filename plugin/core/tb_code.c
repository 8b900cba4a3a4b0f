// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A block's instructions as QEMU executes them, which is not always what it lists. Up to
 * version 8.0 QEMU shows plugins all that its translator has read, and at the end of a
 * page it may have read more than it keeps. Newer versions list what they keep, and pass
 * through here unchanged.
 *
 * Each case is of one guest ISA: an x86 instruction that crosses into the next page is
 * left to the next block (is_left_out()), and Thumb's translator reads two bytes ahead at
 * a page's end (is_read_ahead()).
 *
 * Example: x86, a page that ends at 0x2000, `mov eax, imm32` at 0x1ffd. QEMU 7.2 lists
 * the block with that instruction as its last, with 3 bytes. x86_wants() says that 2
 * bytes are missing; 0x1ffd + 5 - 1 is in the next page, so the block ends before it.
 */
#include "plugin/core/tb_code.h"

#include <stdlib.h>
#include <string.h>

#include "isa/arm.h"
#include "isa/x86.h"

#define PAGE_BYTES 4096 /* of x86 and ARM guests, whatever the host's */

static enum { OTHER, RISCV, AARCH64, ARM, I386, X86_64 } guest;
static bool has_thumb; /* an AArch64 machine may run programs of 32 bits */

void tb_code_init(const char *target_name, bool is_machine)
{
	has_thumb = is_machine;
	if (!strncmp(target_name, "riscv", 5))
		guest = RISCV;
	else if (!strcmp(target_name, "aarch64"))
		guest = AARCH64;
	else if (!strcmp(target_name, "arm"))
		guest = ARM;
	else if (!strcmp(target_name, "i386"))
		guest = I386;
	else if (!strcmp(target_name, "x86_64"))
		guest = X86_64;
}

/*
 * x86: an instruction that reaches into the next page is left to a block of its own,
 * unless it is the first one. The translator finds that out in its middle, when it is
 * about to read there. (Where it would do so only after it has refused the instruction,
 * as some undefined ones, this is wrong, and the block lacks the one that is refused.)
 */
static bool is_left_out(const struct qemu_plugin_insn *insn)
{
	uint64_t address = qemu_plugin_insn_vaddr(insn);
	size_t size = qemu_plugin_insn_size(insn);
	uint8_t code[INSN_BYTES_MAX];
	unsigned wants;

	if ((guest != I386 && guest != X86_64) || size > sizeof(code))
		return false;
	insn_copy(insn, code, size);
	wants = x86_wants(code, size, guest == X86_64);
	return wants && address / PAGE_BYTES != (address + size + wants - 1) / PAGE_BYTES;
}

bool tb_may_lack_last(const struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	/*
	 * An only instruction stays whatever it reaches into: a block has at least one.
	 */
	return n > 1 && is_left_out(qemu_plugin_tb_get_insn(tb, n - 1));
}

uint32_t tb_insns(const struct qemu_plugin_tb *tb)
{
	return (uint32_t)qemu_plugin_tb_n_insns(tb) - tb_may_lack_last(tb);
}

/* Bytes from an instruction to the one after it, which the block must have. */
static uint64_t gap_after(const struct qemu_plugin_tb *tb, uint32_t i)
{
	return qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i + 1)) -
	       qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i));
}

/* Whether the block's last instruction, of four bytes, is one of Thumb's two. */
static bool is_short(const struct qemu_plugin_tb *tb, uint32_t last)
{
	const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, last);
	uint8_t code[4];
	char *text;
	bool is;

	insn_copy(insn, code, sizeof(code));
	if (arm_is_wide(code))
		return false;
	/* Two bytes between two instructions exist in Thumb only. */
	for (uint32_t i = 0; i < last; i++)
		if (gap_after(tb, i) == 2)
			return true;
	text = qemu_plugin_insn_disas(insn);
	is = text && arm_text_is_short(text, code, qemu_plugin_insn_vaddr(insn));
	free(text);
	return is;
}

/*
 * Thumb: when two bytes are left in the page, the translator reads them too, to see
 * whether an instruction of four begins there, which would belong into the next block.
 */
static bool is_read_ahead(const struct qemu_plugin_tb *tb, uint32_t last, size_t size)
{
	uint64_t address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, last));

	if (guest != ARM || size < 4 || (address + size) % PAGE_BYTES)
		return false;
	return size > 4 || is_short(tb, last);
}

/* Thumb's instructions may be at any even address, and have two bytes or can be told by their first. */
static bool is_thumb(const struct qemu_plugin_insn *insn)
{
	size_t size = qemu_plugin_insn_size(insn);
	uint8_t code[4];

	if (!has_thumb || qemu_plugin_insn_vaddr(insn) % 2)
		return false;
	if (size == sizeof(code))
		insn_copy(insn, code, size);
	return size == 2 || (size == sizeof(code) && arm_is_wide(code));
}

/*
 * What QEMU does without reading any code: x86_64's page of vsyscalls, and the fault at
 * an address that no instruction of AArch64 can have. Versions from 9 on say that there
 * are bytes, and would read those of vsyscalls from where there is no memory.
 */
static bool has_no_code(const struct qemu_plugin_insn *insn)
{
	uint64_t address = qemu_plugin_insn_vaddr(insn);

	if (guest == AARCH64)
		return address % 4 && !is_thumb(insn);
	return guest == X86_64 && address / PAGE_BYTES == 0xffffffffff600000 / PAGE_BYTES;
}

static size_t size_of(const struct qemu_plugin_tb *tb, uint32_t i)
{
	const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
	size_t size = has_no_code(insn) ? 0 : qemu_plugin_insn_size(insn);

	if (i + 1 < qemu_plugin_tb_n_insns(tb))
		/*
		 * No instruction reaches into the next one of its block, whatever size
		 * QEMU lists.
		 */
		size = size < gap_after(tb, i) ? size : gap_after(tb, i);
	else if (is_read_ahead(tb, i, size))
		size -= 2;
	return size < INSN_BYTES_MAX ? size : INSN_BYTES_MAX;
}

/* Copies an instruction's bytes; how many. */
static size_t copy_insn(const struct qemu_plugin_tb *tb, uint32_t i, uint8_t *to)
{
	size_t size;

	if (guest == RISCV)
		return insn_copy_riscv(qemu_plugin_tb_get_insn(tb, i), to);
	size = size_of(tb, i);
	if (size)
		insn_copy(qemu_plugin_tb_get_insn(tb, i), to, size);
	return size;
}

void tb_code_take(struct tb_code *tb_code, const struct qemu_plugin_tb *tb,
		  uint32_t first, uint32_t n)
{
	tb_code->address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, first));
	tb_code->first = first;
	tb_code->insns = n < BLOCK_INSNS_MAX ? n : BLOCK_INSNS_MAX;
	tb_code->bytes = 0;
	tb_code->code = tb_code->sizes + tb_code->insns;
	for (uint32_t i = 0; i < tb_code->insns; i++) {
		uint8_t *to = tb_code->code + tb_code->bytes;
		size_t size = copy_insn(tb, first + i, to);

		tb_code->sizes[i] = (uint8_t)size;
		tb_code->bytes += (uint32_t)size;
	}
}

/*
 * The key has the sizes where they do not follow from the code, the code (so far both as
 * in collect/definitions.c), and the number of the file.
 */
uint32_t tb_code_intern(struct tb_code *tb_code, struct interner *blocks, bool *fresh)
{
	const uint8_t *key = guest == RISCV ? tb_code->code : tb_code->sizes;
	uint8_t *end = tb_code->code + tb_code->bytes;

	memcpy(end, &tb_code->origin.file, sizeof(uint32_t));
	return intern(blocks, tb_code->address, key,
		      (uint32_t)(end + sizeof(uint32_t) - key), fresh);
}

uint32_t tb_code_sizes(const struct interner *blocks, uint32_t id, uint64_t *address,
		       uint8_t sizes[BLOCK_INSNS_MAX])
{
	uint32_t n = 0, used = 0, bytes;
	const uint8_t *key = intern_code(blocks, id, address, &bytes);

	bytes -= sizeof(uint32_t);
	if (guest == RISCV)
		for (; used < bytes; used += sizes[n++])
			sizes[n] = key[used] % 4 == 3 ? 4 : 2;
	else /* the sizes end where they and what they add up to are all there is */
		for (; n + used < bytes; used += sizes[n++])
			sizes[n] = key[n];
	return n;
}

void tb_code_copy(struct tb_code *tb_code, const struct interner *blocks, uint32_t id)
{
	uint64_t address;
	uint32_t bytes;
	const uint8_t *key = intern_code(blocks, id, &address, &bytes);
	uint32_t insns = tb_code_sizes(blocks, id, &address, tb_code->sizes);
	uint32_t skipped = guest == RISCV ? 0 : insns;

	bytes -= skipped + (uint32_t)sizeof(uint32_t);
	tb_code->address = address;
	tb_code->first = 0;
	tb_code->insns = insns;
	tb_code->bytes = bytes;
	tb_code->program = NULL;
	tb_code->code = tb_code->sizes + insns;
	memcpy(tb_code->code, key + skipped, bytes);
	tb_code->origin = (struct code_origin){ .again = false };
	memcpy(&tb_code->origin.file, key + skipped + bytes, sizeof(uint32_t));
}

bool tb_code_has_plain_text(const struct tb_code *tb_code)
{
	if (guest == ARM)
		return arm_set_of(tb_code->address, tb_code->sizes, tb_code->insns,
				  tb_code->code) != ARM_EITHER;
	return guest != OTHER && guest != RISCV;
}
