// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of an instruction by Capstone, for guests other than RISC-V.
 *
 * Every option is set as QEMU sets it, so that a text is the one in QEMU's log. That
 * includes the conditions that Thumb's IT gives to the instructions after it. Capstone
 * keeps them in the handle, so it must be given the IT first, and must forget it
 * afterwards.
 *
 * Example: for the third instruction of "it eq; moveq r0, r1; bx lr" in Thumb, find_it()
 * finds no IT that reaches it, and it is disassembled alone. For the second one, both
 * are.
 */
#include "trace/disassembler.h"

#include <capstone/capstone.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/arm.h"

static const struct machine {
	const char *isa;
	cs_arch arch;
	cs_mode mode;
	bool has_thumb;
} machines[] = {
	{ "aarch64", CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN },
	{ "arm", CS_ARCH_ARM, CS_MODE_ARM + CS_MODE_V8, true },
	{ "x86_64", CS_ARCH_X86, CS_MODE_64 },
	{ "i386", CS_ARCH_X86, CS_MODE_32 },
};

struct disassembler {
	const struct machine *machine;
	pthread_mutex_t lock;
	csh handle; /* open while insn exists */
	cs_insn *insn;
};

static const struct machine *find_machine(const char *isa)
{
	for (size_t i = 0; isa && i < sizeof(machines) / sizeof(*machines); i++)
		if (!strcmp(machines[i].isa, isa))
			return &machines[i];
	return NULL;
}

/* True when it is open. */
static bool open_handle(struct disassembler *disassembler)
{
	const struct machine *machine = disassembler->machine;

	if (cs_open(machine->arch, machine->mode, &disassembler->handle))
		return false;
	/* Unknown bytes become ".byte" instead of an error, as in QEMU. */
	cs_option(disassembler->handle, CS_OPT_SKIPDATA, CS_OPT_ON);
	if (machine->arch == CS_ARCH_X86)
		cs_option(disassembler->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	disassembler->insn = cs_malloc(disassembler->handle);
	if (!disassembler->insn)
		cs_close(&disassembler->handle);
	return disassembler->insn;
}

struct disassembler *disassembler_new(const char *isa)
{
	const struct machine *machine = find_machine(isa);
	struct disassembler *disassembler = machine ? calloc(1, sizeof(*disassembler)) :
						      NULL;

	if (!disassembler)
		return NULL;
	disassembler->machine = machine;
	if (!open_handle(disassembler)) {
		free(disassembler);
		return NULL;
	}
	pthread_mutex_init(&disassembler->lock, NULL);
	return disassembler;
}

void disassembler_free(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	cs_free(disassembler->insn, 1);
	cs_close(&disassembler->handle);
	pthread_mutex_destroy(&disassembler->lock);
	free(disassembler);
}

/*
 * The index of the IT whose group contains instruction `index`; `index` itself without
 * one.
 */
static uint32_t find_it(const struct wm_block *block, uint32_t index)
{
	const uint8_t *code = block->code;

	/* From the start of the block: instruction sizes only lead forwards. */
	for (uint32_t i = 0; i < index; code += block->sizes[i++])
		if (i + arm_it_length(code, block->sizes[i]) >= index)
			return i;
	return index;
}

/* A group has at most four instructions, so four NOPs end it. */
static void forget_it(struct disassembler *disassembler)
{
	static const uint8_t nops[] = { 0, 0xbf, 0, 0xbf, 0, 0xbf, 0, 0xbf };
	const uint8_t *code = nops;
	size_t bytes = sizeof(nops);
	uint64_t address = 0;

	while (cs_disasm_iter(disassembler->handle, &code, &bytes, &address,
			      disassembler->insn))
		;
}

/* Disassembles instructions first..index; false when the last one has no text. */
static bool disassemble(struct disassembler *disassembler, const struct wm_block *block,
			uint32_t first, uint32_t index)
{
	const uint8_t *code = block->code;
	bool done = false;

	for (uint32_t i = 0; i < first; i++)
		code += block->sizes[i];
	/* Each call gets exactly one instruction, in the size that QEMU found. */
	for (uint32_t i = first; i <= index; code += block->sizes[i++]) {
		uint64_t address = block->address + (uint64_t)(code - block->code);
		const uint8_t *at = code;
		size_t bytes = block->sizes[i];

		done = cs_disasm_iter(disassembler->handle, &at, &bytes, &address,
				      disassembler->insn);
	}
	return done;
}

int disassembler_text(struct disassembler *disassembler, const struct wm_block *block,
		      uint32_t index, char *text, size_t size)
{
	const cs_insn *insn = disassembler->insn;
	bool two_sets = disassembler->machine->has_thumb;
	enum arm_set set = two_sets ? arm_set_of(block->address, block->sizes,
						 block->insns, block->code) :
				      ARM_ARM;
	bool thumb = set == ARM_THUMB;
	int length;

	/* The code fits both instruction sets, and QEMU's choice is not recorded. */
	if (set == ARM_EITHER)
		return snprintf(text, size, "%s", "");
	/* The handle and its instruction are shared by all threads. */
	pthread_mutex_lock(&disassembler->lock);
	if (two_sets)
		cs_option(disassembler->handle, CS_OPT_MODE,
			  CS_MODE_V8 + (thumb ? CS_MODE_THUMB : CS_MODE_ARM));
	if (disassemble(disassembler, block, thumb ? find_it(block, index) : index,
			index))
		length = snprintf(text, size, "%s %s", insn->mnemonic, insn->op_str);
	else
		length = snprintf(text, size, "%s", "");
	if (thumb)
		forget_it(disassembler);
	pthread_mutex_unlock(&disassembler->lock);
	return length;
}

/* Hardly any bytes that could be of both sets have the same text in both. */
bool disassembler_is_thumb(struct disassembler *disassembler,
			   const struct wm_block *block, uint32_t index, const char *text)
{
	const cs_insn *insn = disassembler->insn;
	char arm[sizeof(insn->mnemonic) + sizeof(insn->op_str) + 1] = "";

	if (!*text)
		return false;
	pthread_mutex_lock(&disassembler->lock);
	cs_option(disassembler->handle, CS_OPT_MODE, CS_MODE_V8 + CS_MODE_ARM);
	if (disassemble(disassembler, block, index, index))
		snprintf(arm, sizeof(arm), "%s %s", insn->mnemonic, insn->op_str);
	pthread_mutex_unlock(&disassembler->lock);
	return strcmp(arm, text) != 0;
}
