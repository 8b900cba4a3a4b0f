// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JVMTI has a function for each of these facts, which copies it into memory of its own: for
 * a "hello" that would double the instructions of the start. Method and ConstMethod lie
 * still, so they are read in place.
 *
 * Example: "java.lang.String.length", "()I", "java/lang/String.java", 0x4076c8b0, 11
 * bytes, lines (0, 1519).
 */
#include "guides/hotspot/methods.h"

#include <stdlib.h>
#include <string.h>

#include "guides/hotspot/lines.h"
#include "guides/hotspot/operands.h"
#include "guides/hotspot/tell.h"

/* An array of pointers: their number, then they. */
#define ARRAY_DATA 8

/* ---- names --------------------------------------------------------------- */

static const char *const_of(const struct vm *vm, const char *method)
{
	return vm_pointer(method, vm->method_const);
}

static const char *pool_of(const struct vm *vm, const char *method)
{
	return vm_pointer(const_of(vm, method), vm->const_pool);
}

static const char *class_of(const struct vm *vm, const char *method)
{
	return vm_pointer(pool_of(vm, method), vm->pool_holder);
}

static const char *class_name(const struct vm *vm, const char *method)
{
	return vm_pointer(class_of(vm, method), vm->klass_name);
}

/* The name at a place in a constant pool, whose entries may have a mark in bit 0. */
static const char *pool_symbol(const struct vm *vm, const char *pool, uint16_t index)
{
	uint64_t entry = vm_word(pool, vm->pool_bytes + index * sizeof(void *));

	return (const char *)(uintptr_t)(entry & ~(uint64_t)1);
}

static const char *symbol_text(const struct vm *vm, const char *symbol, size_t *bytes)
{
	*bytes = vm_u16(symbol, vm->symbol_length);
	return symbol + vm->symbol_body;
}

/* "java.lang.String.": what the names of a class's methods begin with. */
static void put_class(const struct vm *vm, struct buf *out, const char *method)
{
	size_t bytes, start = out->len;
	const char *name = symbol_text(vm, class_name(vm, method), &bytes);

	buf_put(out, name, bytes);
	for (size_t i = start; i < out->len && !out->failed; i++)
		if (out->data[i] == '/')
			out->data[i] = '.';
	buf_put_u8(out, '.');
}

static void put_name(const struct vm *vm, struct buf *out, const char *method,
		     const struct buf *class)
{
	uint16_t index = vm_u16(const_of(vm, method), vm->const_name);
	size_t bytes;
	const char *name =
		symbol_text(vm, pool_symbol(vm, pool_of(vm, method), index), &bytes);

	buf_put_varint(out, class->len + bytes);
	buf_put(out, class->data, class->len);
	buf_put(out, name, bytes);
	out->failed |= class->failed;
}

void method_put_name(const struct vm *vm, struct buf *out, const char *method)
{
	struct buf class = BUF_INIT;

	put_class(vm, &class, method);
	put_name(vm, out, method, &class);
	buf_fini(&class);
}

void method_put_signature(const struct vm *vm, struct buf *out, const char *method)
{
	uint16_t index = vm_u16(const_of(vm, method), vm->const_signature);
	size_t bytes;
	const char *text =
		symbol_text(vm, pool_symbol(vm, pool_of(vm, method), index), &bytes);

	buf_put_varint(out, bytes);
	buf_put(out, text, bytes);
}

/* Bytes of the package in a class's name, with the '/' at its end. */
static size_t package_bytes(const char *name, size_t bytes)
{
	while (bytes && name[bytes - 1] != '/')
		bytes--;
	return bytes;
}

/*
 * The file is in the pool of the class. A method that HotSpot makes, such as
 * MethodHandle.linkToStatic, has a pool of three entries, with the class's index of the file.
 */
void method_put_file(const struct vm *vm, struct buf *out, const char *method)
{
	const char *pool = vm_pointer(class_of(vm, method), vm->klass_pool);
	uint16_t index = vm_u16(pool, vm->pool_file);
	size_t class_bytes, file_bytes, package;
	const char *class, *file;

	if (!index) {
		buf_put_string(out, "");
		return;
	}
	class = symbol_text(vm, class_name(vm, method), &class_bytes);
	file = symbol_text(vm, pool_symbol(vm, pool, index), &file_bytes);
	package = package_bytes(class, class_bytes);
	buf_put_varint(out, package + file_bytes);
	buf_put(out, class, package);
	buf_put(out, file, file_bytes);
}

uint64_t method_bytecode(const struct vm *vm, const char *method)
{
	return (uint64_t)(uintptr_t)const_of(vm, method) + vm->const_bytes;
}

/* ---- tables -------------------------------------------------------------- */

uint32_t *method_lines(const struct vm *vm, const char *method, uint32_t *bytes)
{
	const char *data = const_of(vm, method);
	uint32_t *all, line = 0;
	struct lines lines;

	*bytes = vm_u16(data, vm->const_code_size);
	all = malloc(*bytes * sizeof(*all));
	if (!all)
		return NULL;
	memset(all, 0xff, *bytes * sizeof(*all));
	lines_begin(vm, &lines, data);
	while (lines_next(&lines))
		if ((uint32_t)lines.offset < *bytes)
			all[lines.offset] = (uint32_t)lines.line;
	for (uint32_t i = 0; i < *bytes; i++)
		if (all[i] == UINT32_MAX)
			all[i] = line;
		else
			line = all[i];
	return all;
}

static void put_lines(const struct vm *vm, struct buf *out, const char *method)
{
	struct lines lines;
	int32_t offset = 0, line = 0;
	uint32_t n = 0;
	uint8_t *at;

	lines_begin(vm, &lines, method);
	while (lines_next(&lines))
		n++;
	buf_put_varint(out, n);
	/* These numbers are a fifth of all notes, so none takes a call of its own. */
	if (!buf_reserve(out, (uint64_t)n * 2 * VARINT32_MAX))
		return;
	at = out->data + out->len;
	lines_begin(vm, &lines, method);
	while (lines_next(&lines)) {
		at = put_varint(at, zigzag(lines.offset - offset));
		at = put_varint(at, zigzag(lines.line - line));
		offset = lines.offset;
		line = lines.line;
	}
	out->len = (size_t)(at - out->data);
}

static void put_handlers(const struct vm *vm, struct buf *out, const char *method)
{
	uint16_t n;
	const struct handler *handlers = handlers_of(vm, method, &n);

	buf_put_varint(out, n);
	for (uint16_t i = 0; i < n; i++) {
		buf_put_varint(out, handlers[i].from);
		buf_put_varint(out, handlers[i].to);
		buf_put_varint(out, handlers[i].target);
	}
}

static void put_code(const struct vm *vm, struct buf *out, const char *method,
		     struct operands *operands)
{
	uint16_t bytes = vm_u16(method, vm->const_code_size);

	buf_put(out, method + vm->const_bytes, bytes);
	if (!out->failed)
		operands_restore(operands, (uint64_t)(uintptr_t)method + vm->const_bytes,
				 out->data + out->len - bytes, bytes);
}

/* ---- units --------------------------------------------------------------- */

/* What all methods of a class have. */
struct class_texts {
	struct buf name; /* as put_class() has it */
	struct buf file; /* as method_put_file() has it */
};

static void put_unit(const struct vm *vm, struct buf *out, const char *method,
		     const struct class_texts *class, struct operands *operands)
{
	const char *inner = const_of(vm, method);
	uint16_t bytes = vm_u16(inner, vm->const_code_size);

	/* A native or abstract method. */
	if (!bytes)
		return;
	buf_put_varint(out, method_bytecode(vm, method));
	buf_put_varint(out, bytes);
	put_name(vm, out, method, &class->name);
	method_put_signature(vm, out, method);
	buf_put(out, class->file.data, class->file.len);
	out->failed |= class->file.failed;
	put_lines(vm, out, inner);
	put_handlers(vm, out, inner);
	put_code(vm, out, inner, operands);
}

void methods_tell(const struct vm *vm, const char *method)
{
	const char *methods = vm_pointer(class_of(vm, method), vm->klass_methods);
	uint32_t n = vm_u32(methods, 0);
	struct class_texts class = { BUF_INIT, BUF_INIT };
	struct buf note = BUF_INIT;
	struct operands operands;

	operands_begin(&operands, vm, pool_of(vm, method));
	put_class(vm, &class.name, method);
	method_put_file(vm, &class.file, method);
	for (uint32_t i = 0; i < n; i++)
		put_unit(vm, &note, vm_pointer(methods, ARRAY_DATA + i * sizeof(void *)),
			 &class, &operands);
	tell(NOTE_UNIT, &note);
	operands_tell(&operands);
	buf_fini(&class.name);
	buf_fini(&class.file);
}
