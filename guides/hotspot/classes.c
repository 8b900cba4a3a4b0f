// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a class is linked, HotSpot replaces the operands of its calls: they no longer number an
 * entry of the constant pool, but a place in the pool's cache. Each place has the number of its
 * entry. The note lists the places in their order, so that a reader finds the method that a call
 * names by the call's operand.
 *
 * A note has each name of a class once. Methods and places refer to it by the number of its entry
 * in the pool, which is small. Entries that have the same text are not looked for: that would
 * take longer than to copy the text.
 *
 * Example: the code has "invokestatic 7", and place 7 has the pool's entry 12, a method of
 * class 30 with name and type 44, which are 50 and 51: the note has 30 50 51.
 */
#include "guides/hotspot/classes.h"

#include "guides/hotspot/interpreter.h"
#include "guides/hotspot/methods.h"
#include "guides/hotspot/tell.h"

/* An array of HotSpot's: its length, then its elements; pointers are aligned. */
enum { ARRAY_BYTES = 4, ARRAY_POINTERS = 8 };

/* Tags of a constant pool. */
enum { TAG_METHOD = 10, TAG_INTERFACE_METHOD = 11 };

/* Of what is put without a look at the room that is left. */
enum { PLACE_BYTES_MOST = 3 * VARINT32_MAX, METHOD_BYTES_MOST = 3 * VARINT32_MAX + 10 };

/* The names of one class that are to be told. */
struct names {
	const struct vm *vm;
	const char *pool;
	uint32_t entries;
	uint8_t used[UINT16_MAX / 8 + 1]; /* bits, by entry of the pool */
	uint32_t n;
};

/* ---- the constant pool --------------------------------------------------- */

/* The lower half of an entry, which is all of it but of names. */
static uint32_t entry_of(const struct names *names, uint32_t index)
{
	return index < names->entries ?
		       vm_u32(names->pool,
			      names->vm->pool_bytes + index * sizeof(void *)) :
		       0;
}

/* Puts the entry of a name into the text, where there is room. */
static uint8_t *put_name(struct names *names, uint8_t *at, uint32_t index)
{
	uint8_t bit = (uint8_t)(1u << index % 8), *used = &names->used[index / 8];

	names->n += !(*used & bit);
	*used |= bit;
	return put_varint(at, index);
}

/* A place of the cache: 0 for what is no method, else the method's class, name and type. */
static uint8_t *put_place(struct names *names, uint8_t *at, const char *place)
{
	const char *tags = vm_pointer(names->pool, names->vm->pool_tags);
	uint32_t index = vm_u16(place, names->vm->place_index);
	uint32_t entry = entry_of(names, index), type;
	uint8_t tag = index < names->entries ? (uint8_t)tags[ARRAY_BYTES + index] : 0;

	if (tag != TAG_METHOD && tag != TAG_INTERFACE_METHOD)
		return put_varint(at, 0);
	/* Of a class the name is in the upper half; of name and type the name is below. */
	at = put_name(names, at, entry_of(names, entry & 0xffff) >> 16);
	type = entry_of(names, entry >> 16);
	at = put_name(names, at, type & 0xffff);
	return put_name(names, at, type >> 16);
}

/* The first of *n places; what calls nothing has none. */
static const char *first_place(const struct names *names, uint32_t *n)
{
	const struct vm *vm = names->vm;
	const char *cache = vm_pointer(names->pool, vm->pool_cache);
	const char *array =
		cache && vm->has_array ? vm_pointer(cache, vm->cache_methods) : NULL;

	*n = 0;
	if (!cache || (vm->has_array && !array))
		return NULL;
	*n = array ? vm_u32(array, 0) : vm_u32(cache, vm->cache_length);
	return array ? array + ARRAY_POINTERS : cache + vm->cache_bytes;
}

static void put_places(struct names *names, struct buf *out)
{
	const struct vm *vm = names->vm;
	uint32_t n;
	const char *place = first_place(names, &n);
	uint8_t *at;

	buf_put_varint(out, n);
	if (!buf_reserve(out, (uint64_t)n * PLACE_BYTES_MOST))
		return;
	at = out->data + out->len;
	for (uint32_t i = 0; i < n; i++)
		at = put_place(names, at, place + i * vm->place_bytes);
	out->len = (size_t)(at - out->data);
}

/* ---- names --------------------------------------------------------------- */

static void put_symbol(const struct vm *vm, struct buf *out, const char *symbol)
{
	uint32_t bytes = vm_u16(symbol, vm->symbol_length);
	uint8_t *at;

	if (!buf_reserve(out, VARINT32_MAX + bytes))
		return;
	at = put_varint(out->data + out->len, bytes);
	memcpy(at, symbol + vm->symbol_body, bytes);
	out->len = (size_t)(at + bytes - out->data);
}

/* The name of an entry of the pool, which may have a mark in bit 0. */
static const char *symbol_of(const struct names *names, uint32_t index)
{
	uint64_t entry =
		vm_word(names->pool, names->vm->pool_bytes + index * sizeof(void *));

	return (const char *)(uintptr_t)(entry & ~(uint64_t)1);
}

/* Those that were used: the index of each less the one before, and the name. */
static void put_names(const struct names *names, struct buf *out)
{
	uint32_t last = 0;

	buf_put_varint(out, names->n);
	for (uint32_t i = 0; i < names->entries; i++) {
		if (!(names->used[i / 8] & 1u << i % 8))
			continue;
		if (!buf_reserve(out, VARINT32_MAX))
			return;
		out->len =
			(size_t)(put_varint(out->data + out->len, i - last) - out->data);
		last = i;
		put_symbol(names->vm, out, symbol_of(names, i));
	}
}

static void put_class_name(const struct vm *vm, struct buf *out, const char *klass)
{
	if (klass)
		put_symbol(vm, out, vm_pointer(klass, vm->klass_name));
	else
		buf_put_varint(out, 0);
}

/* ---- classes ------------------------------------------------------------- */

static void put_interfaces(const struct vm *vm, struct buf *out, const char *klass)
{
	const char *all = vm_pointer(klass, vm->klass_interfaces);
	uint32_t n = vm_u32(all, 0);

	buf_put_varint(out, n);
	for (uint32_t i = 0; i < n; i++)
		put_class_name(vm, out,
			       vm_pointer(all, ARRAY_POINTERS + i * sizeof(void *)));
}

static bool is_run(const struct vm *vm, const char *method)
{
	return interpreter_runs_from(vm_word(method, vm->method_entry));
}

/*
 * A method: its flags, and where its bytecode is. The note about the bytecode has the method's
 * name and type. A method without bytecode has no such note, so its name and type are put here.
 */
static void put_method(const struct vm *vm, struct names *names, struct buf *out,
		       const char *method)
{
	const char *inner = vm_pointer(method, vm->method_const);
	bool has_code = vm_u16(inner, vm->const_code_size);
	uint8_t *at;

	if (!buf_reserve(out, METHOD_BYTES_MOST))
		return;
	at = put_varint(out->data + out->len, vm_u16(method, vm->method_flags) |
						      (uint32_t)is_run(vm, method) << 16);
	at = put_varint(at, has_code ? method_bytecode(vm, method) : 0);
	if (!has_code) {
		at = put_name(names, at, vm_u16(inner, vm->const_name));
		at = put_name(names, at, vm_u16(inner, vm->const_signature));
	}
	out->len = (size_t)(at - out->data);
}

static void put_methods(const struct vm *vm, struct names *names, struct buf *out,
			const char *klass)
{
	const char *methods = vm_pointer(klass, vm->klass_methods);
	uint32_t n = vm_u32(methods, 0);

	buf_put_varint(out, n);
	for (uint32_t i = 0; i < n; i++)
		put_method(vm, names, out,
			   vm_pointer(methods, ARRAY_POINTERS + i * sizeof(void *)));
}

/* Where a class has no method, nobody else tells of it. */
static const char *super_to_tell(const struct vm *vm, const char *klass)
{
	const char *super = vm_pointer(klass, vm->klass_super);
	const char *methods = super ? vm_pointer(super, vm->klass_methods) : NULL;

	return methods && !vm_u32(methods, 0) ? super : NULL;
}

static void put_class(const struct vm *vm, struct buf *out, const char *klass,
		      const char *pool)
{
	struct names names;

	names.vm = vm;
	names.pool = pool;
	names.n = 0;
	names.entries = pool ? vm_u32(pool, vm->pool_length) : 0;
	if (names.entries > UINT16_MAX)
		names.entries = UINT16_MAX;
	/* Most pools are small. */
	memset(names.used, 0, names.entries / 8 + 1);
	put_class_name(vm, out, klass);
	put_class_name(vm, out, vm_pointer(klass, vm->klass_super));
	buf_put_varint(out, vm_u16(klass, vm->klass_flags));
	put_interfaces(vm, out, klass);
	put_methods(vm, &names, out, klass);
	if (pool)
		put_places(&names, out);
	else
		buf_put_varint(out, 0);
	put_names(&names, out);
}

void classes_tell(const struct vm *vm, const char *method)
{
	const char *pool =
		vm_pointer(vm_pointer(method, vm->method_const), vm->const_pool);
	const char *klass = vm_pointer(pool, vm->pool_holder);
	struct buf note = BUF_INIT;

	if (!vm->has_classes)
		return;
	put_class(vm, &note, klass, pool);
	while ((klass = super_to_tell(vm, klass)))
		put_class(vm, &note, klass, NULL);
	tell(NOTE_CLASS, &note);
}
