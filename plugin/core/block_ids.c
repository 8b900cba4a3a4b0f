// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One table for all code of the process: a key of (address, code, file) gets the next id,
 * from 1 on. A gap is an id, too, with a key of no code, so that nothing else has to tell
 * ids and gaps apart.
 *
 * Invariant: the message with a block's bytes is sent before the id is returned, so it is
 * complete before any lane can contain the id. The collector relies on that order.
 *
 * Example: a block of "c.nop; ret" at 0x1000, not in a file, becomes id 1. When QEMU
 * throws its code away and translates the same bytes again, it is still id 1, and no
 * message is sent. When a JIT compiler has written other bytes to 0x1000, the block
 * becomes id 2.
 */
#include "plugin/core/block_ids.h"

#include <string.h>

#include "format/arena.h"
#include "plugin/core/link.h"
#include "plugin/core/program.h"
#include "plugin/core/texts.h"
#include "plugin/core/values.h"

#define PAGE_BYTES 4096 /* of RISC-V guests */

static struct interner blocks;

static void send_block(uint32_t id, const struct tb_code *tb_code)
{
	struct message_block block = { tb_code->address, id, (uint16_t)tb_code->insns,
				       (uint16_t)tb_code->bytes, tb_code->origin.again };
	const struct program *program = tb_code->program;

	block.program = program ? (uint32_t)program->bytes.len : 0;
	link_send(MESSAGE_BLOCK,
		  (struct message_part[]){
			  { &block, sizeof(block) },
			  { tb_code->sizes, tb_code->insns + tb_code->bytes },
			  { program ? program->bytes.data : NULL, block.program } },
		  3);
}

uint32_t block_id_of(const struct qemu_plugin_tb *tb, struct tb_code *tb_code)
{
	bool fresh;
	uint32_t id = tb_code_intern(tb_code, &blocks, &fresh);

	if (fresh) {
		texts_send(tb, tb_code);
		send_block(id, tb_code);
	}
	/*
	 * Outside of `fresh`: code that returns to an older version has a known id, and
	 * is a change of version all the same.
	 */
	if (link_wants(WM_EVENT_BLOCK_VERSION))
		versions_note(tb_code);
	return id;
}

uint32_t block_id_moved(uint32_t id, uint64_t address, uint32_t file)
{
	/* Static, under the lock: too large for a vCPU's stack. */
	static struct tb_code tb_code;
	bool fresh;

	tb_code_copy(&tb_code, &blocks, id);
	tb_code.address = address;
	tb_code.origin.file = file;
	id = tb_code_intern(&tb_code, &blocks, &fresh);
	if (!fresh)
		return id;
	/* Texts are those of the instructions, which have been sent; constants may differ. */
	tb_code.program = values_any() ? program_of(&tb_code) : NULL;
	send_block(id, &tb_code);
	return id;
}

const struct program *block_ids_program(uint32_t id)
{
	static struct tb_code tb_code; /* as above */

	tb_code_copy(&tb_code, &blocks, id);
	return program_of(&tb_code);
}

uint32_t block_ids_insns(uint32_t id)
{
	uint8_t sizes[BLOCK_INSNS_MAX];
	uint64_t at;

	return tb_code_sizes(&blocks, id, &at, sizes);
}

bool block_ids_index(uint32_t id, uint32_t other, uint32_t *index)
{
	uint8_t sizes[BLOCK_INSNS_MAX];
	uint64_t at, address;
	uint32_t insns, bytes;

	intern_code(&blocks, other, &address, &bytes);
	insns = tb_code_sizes(&blocks, id, &at, sizes);
	for (*index = 0; *index < insns; at += sizes[(*index)++])
		if ((at ^ address) % PAGE_BYTES == 0)
			return true;
	return false;
}

/* A block's instructions begin in one page, so each is at a distance of its own in it. */
bool block_ids_inside(uint32_t id, uint64_t address, uint64_t *inside)
{
	uint8_t sizes[BLOCK_INSNS_MAX];
	uint64_t at;
	uint32_t insns = tb_code_sizes(&blocks, id, &at, sizes);

	for (uint32_t i = 0; i + 1 < insns; at += sizes[i++])
		if ((at ^ address) % PAGE_BYTES == 0) {
			*inside = at;
			return true;
		}
	return false;
}

/*
 * Without a slot in the hash table: code without bytes and without a file at address 0
 * must not get this id.
 */
static uint32_t id_of_no_code(void)
{
	static const uint8_t no_file[sizeof(uint32_t)]; /* what a key ends with */
	bool fresh;

	return intern_apart(&blocks, 0, no_file, sizeof(no_file), &fresh);
}

uint32_t block_ids_add_firing(struct message_firing firing)
{
	firing.id = id_of_no_code();
	if (firing.id)
		link_send(MESSAGE_FIRING,
			  &(struct message_part){ &firing, sizeof(firing) }, 1);
	return firing.id;
}

bool block_ids_inside_is(uint32_t id, uint64_t address, const uint8_t *code, size_t size,
			 uint64_t *inside)
{
	static struct tb_code block; /* as above */
	size_t at;

	if (!block_ids_inside(id, address, inside))
		return false;
	tb_code_copy(&block, &blocks, id);
	at = *inside - block.address;
	return at + size <= block.bytes && !memcmp(block.code + at, code, size);
}

uint32_t block_ids_behind(uint32_t id, uint64_t pc)
{
	uint8_t sizes[BLOCK_INSNS_MAX];
	uint64_t at;
	uint32_t insns = tb_code_sizes(&blocks, id, &at, sizes);

	for (uint32_t i = 0; i < insns; at += sizes[i++])
		if (at == pc)
			return insns - i - 1;
	return 0;
}

bool block_ids_begins(uint32_t id, uint64_t pc)
{
	uint8_t sizes[BLOCK_INSNS_MAX];
	uint64_t at;

	return tb_code_sizes(&blocks, id, &at, sizes) && at == pc;
}

uint64_t block_ids_last_insn(uint32_t id)
{
	uint8_t sizes[BLOCK_INSNS_MAX];
	uint64_t at;
	uint32_t insns = tb_code_sizes(&blocks, id, &at, sizes);

	for (uint32_t i = 0; i + 1 < insns; i++)
		at += sizes[i];
	return at;
}

uint32_t block_ids_add_gap(void)
{
	struct message_block block = { .id = id_of_no_code() };

	if (block.id)
		link_send(MESSAGE_BLOCK, &(struct message_part){ &block, sizeof(block) },
			  1);
	return block.id;
}

uint32_t block_ids_count(void)
{
	return blocks.count;
}

bool block_ids_have(uint64_t address)
{
	return intern_has(&blocks, address);
}

const struct interner *block_ids_table(void)
{
	return &blocks;
}
