// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter is a queue of codelets: one for each bytecode, and some for calls,
 * exceptions and safepoints. Each is a header and its code. The fetch sites of its code
 * are found here, because only here all of it is at hand before the first of it runs.
 *
 * Example: codelet "iadd" (bytecode 96), 192 bytes at 0x4010c5c0; its sites are the one or
 * two "lbu t0, 1(s6)" of its ends.
 */
#include "guides/hotspot/interpreter.h"

#include <string.h>

#include "guides/hotspot/opcodes.h"
#include "guides/hotspot/steps.h"
#include "guides/hotspot/tell.h"
#include "isa/dispatch.h"
#include "isa/jvm.h"

#define XLEN 64

/* ---- codelets ------------------------------------------------------------ */

/* Addresses, which ascend as codelets do. */
struct addresses {
	struct buf data;
	uint64_t last;
};

static void put_address(struct addresses *to, uint64_t address)
{
	buf_put_varint(&to->data, address - to->last);
	to->last = address;
}

struct walk {
	const struct vm *vm;
	struct buf note;
	struct addresses sites, kept; /* of NOTE_SITES and of NOTE_STEPS */
	uint64_t last;		      /* the start of the codelet before */
	struct steps steps;
};

struct gathering {
	struct walk *walk;
	const uint8_t *code;
};

static bool gather(void *cookie, uint64_t offset)
{
	const struct gathering *gathering = cookie;
	struct walk *walk = gathering->walk;
	uint64_t address = (uint64_t)(uintptr_t)gathering->code + offset;

	put_address(&walk->sites, address);
	if (steps_keeps(&walk->steps, gathering->code + offset))
		put_address(&walk->kept, address);
	return true;
}

/* Codelets by which methods are entered that have nothing special. */
static struct entry {
	uint64_t start, bytes;
} entries[4];
static unsigned n_entries;

static void learn_entry(const char *name, uint64_t start, uint64_t bytes)
{
	if (strstr(name, "(kind = zerolocals") && n_entries < 4)
		entries[n_entries++] = (struct entry){ start, bytes };
}

bool interpreter_runs_from(uint64_t entry)
{
	for (unsigned i = 0; i < n_entries; i++)
		if (entry - entries[i].start < entries[i].bytes)
			return true;
	return false;
}

/* One codelet; returns its size, with the header. */
static uint32_t add_codelet(struct walk *walk, const char *codelet)
{
	const struct vm *vm = walk->vm;
	uint32_t size = vm_u32(codelet, vm->codelet_size);
	const char *code = codelet + vm->codelet_bytes;
	const char *name = vm_pointer(codelet, vm->codelet_description);
	int32_t bytecode = (int32_t)vm_u32(codelet, vm->codelet_bytecode);
	uint64_t start = (uint64_t)(uintptr_t)code, bytes = size - vm->codelet_bytes;
	struct gathering gathering = { walk, (const uint8_t *)code };
	size_t call;

	buf_put_varint(&walk->note, start - walk->last);
	buf_put_varint(&walk->note, bytes);
	buf_put_varint(&walk->note, zigzag(bytecode));
	buf_put_string(&walk->note, name ? name : "");
	walk->last = start;
	opcodes_learn(bytecode, name ? name : "");
	learn_entry(name ? name : "", start, bytes);
	steps_begin(&walk->steps, bytecode, name ? name : "");
	/* What "wide" reads is the bytecode that it is part of, for the same place in the program. */
	if (bytecode != JVM_WIDE)
		dispatch_find((const uint8_t *)code, bytes, XLEN, 1, gather, &gathering);
	if (steps_call(&walk->steps, (const uint8_t *)code, bytes, &call))
		put_address(&walk->kept, start + call);
	return size;
}

void interpreter_tell(const struct vm *vm)
{
	struct walk walk = { .vm = vm, .note = BUF_INIT };
	const char *buffer = vm_pointer(vm->queue, vm->queue_buffer);
	uint32_t at = vm_u32(vm->queue, vm->queue_begin);
	uint32_t limit = vm_u32(vm->queue, vm->queue_limit);
	uint32_t n = vm_u32(vm->queue, vm->queue_count);

	for (uint32_t i = 0; i < n && at < limit; i++)
		at += add_codelet(&walk, buffer + at);
	tell(NOTE_DISPATCH, &walk.note);
	tell(NOTE_STEPS, &walk.kept.data);
	tell(NOTE_SITES, &walk.sites.data);
}
