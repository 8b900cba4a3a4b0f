/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of HotSpot's own structures, which libjvm exports for debuggers
 * (gHotSpotVMStructs and its like).
 */
#ifndef GUIDES_HOTSPOT_VM_H
#define GUIDES_HOTSPOT_VM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes from an object's start; of names as in HotSpot's sources. */
struct vm {
	/* InterpreterCodelet, and the queue of all of them. */
	const char *queue; /* a StubQueue */
	uint64_t queue_buffer, queue_begin, queue_limit, queue_count;
	uint64_t codelet_size, codelet_description, codelet_bytecode, codelet_bytes;
	/* Method, ConstMethod and what they lead to. */
	uint64_t method_const;
	uint64_t const_pool, const_words, const_flags, const_code_size, const_name,
		const_signature, const_bytes;
	uint64_t pool_holder, pool_file, pool_bytes;
	uint64_t klass_name, klass_methods, klass_pool;
	uint64_t symbol_length, symbol_body;
	/*
	 * What a compiler made: a CodeBlob that is an nmethod. Where its code is, and where calls
	 * enter, are pointers up to OpenJDK 22, and from 23 on distances (`has_distances`).
	 */
	bool has_distances;
	uint64_t blob_code, blob_end, blob_content, nmethod_method, nmethod_level,
		nmethod_entry, nmethod_verified;
	uint64_t blob_bytes, blob_code_distance, nmethod_verified_distance;
	/* Classes and what their code calls; of a JVM that tells all of it. */
	bool has_classes;
	uint64_t klass_super, klass_flags, klass_interfaces;
	uint64_t method_flags, method_entry;
	uint64_t pool_tags, pool_cache, pool_length;
	/*
	 * The places that calls name: up to OpenJDK 21 they lie behind the cache and others are among
	 * them, from 22 on they are an array (`has_array`).
	 */
	bool has_array;
	uint64_t cache_length, cache_bytes, cache_methods, place_index, place_bytes;
	/*
	 * What other operands name. Fields have an array of their own when methods have; dynamic calls
	 * have one from OpenJDK 21 on (`has_dynamic`).
	 */
	bool has_operands, has_dynamic;
	uint64_t cache_references, cache_fields, field_index, field_bytes, cache_dynamic,
		dynamic_index, dynamic_bytes;
	/* Flags of a ConstMethod. */
	uint32_t has_lines, has_checked, has_handlers, has_signature, has_parameters;
	uint32_t has_annotations[4];
	/* Of a compressed number: 1, so that 0 can end a table; 0 up to OpenJDK 19. */
	uint8_t least_byte;
};

/*
 * Fills it in. `release` is OpenJDK's, as 21. False: this libjvm does not tell all of it, or is too
 * new.
 */
bool vm_read(struct vm *vm, unsigned release);
/* The address of a static variable of libjvm's; NULL: it tells of none. */
void *vm_static(const char *type, const char *name);

static inline uint64_t vm_word(const char *object, uint64_t offset)
{
	uint64_t word;

	memcpy(&word, object + offset, sizeof(word));
	return word;
}

static inline uint32_t vm_u32(const char *object, uint64_t offset)
{
	uint32_t number;

	memcpy(&number, object + offset, sizeof(number));
	return number;
}

static inline uint16_t vm_u16(const char *object, uint64_t offset)
{
	uint16_t number;

	memcpy(&number, object + offset, sizeof(number));
	return number;
}

static inline const char *vm_pointer(const char *object, uint64_t offset)
{
	return (const char *)(uintptr_t)vm_word(object, offset);
}

#endif
