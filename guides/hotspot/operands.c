// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a class is linked, HotSpot replaces operands that number entries of its constant pool: those
 * of fields, calls, and loads of texts get numbers of places in the pool's cache, the lower byte
 * first. Each place has the number of its entry, which is put back here, so that every operand
 * is the class file's. Calls of methods stay as they are: notes about classes list their places.
 *
 * A note has only the entries of the pool that an operand refers to.
 *
 * Example: "getstatic" 07 00 is place 7, which is of entry 0x12: it becomes 00 12, and entry 0x12 is
 * told as "java.lang.System.out:Ljava/io/PrintStream;".
 */
#include "guides/hotspot/operands.h"

#include <inttypes.h>
#include <stdio.h>

#include "format/note.h"
#include "guides/hotspot/constants.h"
#include "guides/hotspot/opcodes.h"
#include "guides/hotspot/tell.h"
#include "isa/jvm.h"

/* An array of HotSpot's: its length, then its elements; pointers are aligned. */
enum { ARRAY_U16 = 4, ARRAY_POINTERS = 8 };

enum {
	LDC = 0x12,
	LDC_W,
	LDC2_W,
	GETSTATIC = 0xb2,
	PUTFIELD = 0xb5,
	INVOKEDYNAMIC = 0xba
};

/* ---- places -------------------------------------------------------------- */

/*
 * The number of the pool's entry that is in element `place` of an array. The cache has the array's
 * address at offset `array`; an element has `step` bytes, and the number at offset `index`. 0:
 * there is no such element.
 */
static uint32_t entry_of_array(const struct operands *operands, uint64_t array,
			       uint64_t step, uint64_t index, uint32_t place)
{
	const char *all = operands->cache ? vm_pointer(operands->cache, array) : NULL;

	return all && place < vm_u32(all, 0) ?
		       vm_u16(all + ARRAY_POINTERS + place * step, index) :
		       0;
}

/* Of a place behind the cache itself. */
static uint32_t entry_of_cache(const struct operands *operands, uint32_t place)
{
	const struct vm *vm = operands->vm;

	return operands->cache && place < vm_u32(operands->cache, vm->cache_length) ?
		       vm_u16(operands->cache + vm->cache_bytes + place * vm->place_bytes,
			      vm->place_index) :
		       0;
}

static uint32_t entry_of_field(const struct operands *operands, uint32_t place)
{
	const struct vm *vm = operands->vm;

	return vm->has_array ? entry_of_array(operands, vm->cache_fields, vm->field_bytes,
					      vm->field_index, place) :
			       entry_of_cache(operands, place);
}

/* Numbers of dynamic calls have all their bits turned over up to OpenJDK 22. */
static uint32_t entry_of_dynamic(const struct operands *operands, uint32_t place)
{
	const struct vm *vm = operands->vm;

	place = place >> 31 ? ~place : place;
	return vm->has_dynamic ?
		       entry_of_array(operands, vm->cache_dynamic, vm->dynamic_bytes,
				      vm->dynamic_index, place) :
		       entry_of_cache(operands, place);
}

static uint32_t entry_of_reference(const struct operands *operands, uint32_t place)
{
	const char *map = operands->cache ? vm_pointer(operands->cache,
						       operands->vm->cache_references) :
					    NULL;

	return map && place < vm_u32(map, 0) ?
		       vm_u16(map, ARRAY_U16 + place * sizeof(uint16_t)) :
		       0;
}

/* ---- bytecode ------------------------------------------------------------ */

static uint16_t get_place(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static void put_entry(uint8_t *at, uint32_t entry)
{
	at[0] = (uint8_t)(entry >> 8);
	at[1] = (uint8_t)entry;
}

/* Of an instruction with Java's opcode, which was `own` in memory. */
static void restore(const struct operands *operands, uint8_t *code, uint8_t own)
{
	if (*code == LDC && own != LDC)
		code[1] = (uint8_t)entry_of_reference(operands, code[1]);
	else if (*code == LDC_W && own != LDC_W)
		put_entry(code + 1, entry_of_reference(operands, get_place(code + 1)));
	else if (*code >= GETSTATIC && *code <= PUTFIELD)
		put_entry(code + 1, entry_of_field(operands, get_place(code + 1)));
	if (*code != INVOKEDYNAMIC)
		return;
	put_entry(code + 1,
		  entry_of_dynamic(operands,
				   get_place(code + 1) | (uint32_t)get_place(code + 3)
								 << 16));
	put_entry(code + 3, 0);
}

static void mark(struct operands *operands, const uint8_t *code, size_t bytes, size_t at)
{
	uint32_t entry;

	if (jvm_constant(code, bytes, at, &entry) && entry < operands->entries)
		operands->used[entry / 8] |= (uint8_t)(1u << entry % 8);
}

/* Most bytecodes name nothing. */
static bool may_name(uint8_t opcode)
{
	return (opcode >= LDC && opcode <= LDC2_W) ||
	       (opcode >= GETSTATIC && !(opcode > PUTFIELD && opcode < INVOKEDYNAMIC));
}

void operands_restore(struct operands *operands, uint64_t start, uint8_t *code,
		      size_t bytes)
{
	bool told = operands->vm->has_operands;
	size_t length;

	operands->start = start;
	for (size_t at = 0; at < bytes; at += length) {
		uint8_t own = code[at];

		code[at] = opcodes_java(own);
		length = jvm_length(code, bytes, at);
		if (!length)
			return;
		if (told && may_name(code[at])) {
			restore(operands, code + at, own);
			mark(operands, code, bytes, at);
		}
	}
}

/* ---- a class ------------------------------------------------------------- */

void operands_begin(struct operands *operands, const struct vm *vm, const char *pool)
{
	operands->vm = vm;
	operands->pool = pool;
	operands->cache = vm->has_operands ? vm_pointer(pool, vm->pool_cache) : NULL;
	operands->entries = vm->has_operands ? vm_u32(pool, vm->pool_length) : 0;
	if (operands->entries > UINT16_MAX)
		operands->entries = UINT16_MAX;
	/* Most pools are small. */
	memset(operands->used, 0, operands->entries / 8 + 1);
}

/* The entries that are used: the number of each less that of the one before, and its text. */
static uint32_t put_constants(const struct operands *operands, struct buf *out)
{
	struct buf text = BUF_INIT;
	uint32_t n = 0, last = 0;

	for (uint32_t i = 0; i < operands->entries; i++) {
		if (!operands->used[i / 8])
			i |= 7;
		if (!(operands->used[i / 8] & 1u << i % 8))
			continue;
		text.len = 0;
		if (!constant_text(operands->vm, operands->pool, i, &text))
			continue;
		buf_put_varint(out, i - last);
		buf_put_varint(out, text.len);
		buf_put(out, text.data, text.len);
		last = i;
		n++;
	}
	out->failed |= text.failed;
	buf_fini(&text);
	return n;
}

void operands_tell(const struct operands *operands)
{
	struct buf note = BUF_INIT, constants = BUF_INIT;
	uint32_t n = put_constants(operands, &constants);

	if (n) {
		buf_put_varint(&note, operands->start);
		buf_put_varint(&note, 1); /* of all methods of the class */
		buf_put_varint(&note, 1);
		buf_put_varint(&note, NOTE_CONSTANTS);
		buf_put_varint(&note, n);
		buf_put(&note, constants.data, constants.len);
	}
	note.failed |= constants.failed;
	tell(NOTE_OPERANDS, &note);
	buf_fini(&constants);
}
