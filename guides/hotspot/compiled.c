// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A compiled method has rows "up to this pc: these frames", innermost first. The pc of a row
 * is the end of what it describes. The rows are what the compiler kept for the debugger; with
 * an agent that asks for them HotSpot keeps rows between safepoints, too.
 *
 * Example: "Hello.fib", tier 4, rows up to 0x1c (fib@0), up to 0x40 (fib@9 in fib@9).
 */
#include "guides/hotspot/compiled.h"

#include <jvmti.h>
#include <jvmticmlr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guides/hotspot/methods.h"
#include "guides/hotspot/tell.h"

#define NO_OSR (-1) /* of an nmethod's entry: it is the method's own */
#define NO_ENTRY UINT64_MAX
#define METHODS_MAX 1024
#define FRAMES_MAX 64	   /* of a row; compilers inline to a depth of some ten */
#define NOP UINT32_C(0x13) /* at an entry, so that it can be changed */

/* ---- which compiler ------------------------------------------------------ */

/* More than an nmethod has between its begin and its code. */
#define HEAD_BYTES_MAX (1u << 18)

/* Whether an address is where such code may end. */
static bool is_end(const char *end, const char *code, uint32_t bytes)
{
	return end >= code + bytes && end < code + bytes + HEAD_BYTES_MAX;
}

/*
 * The nmethod with that code, which comes behind it. The Method may have another one by now, or
 * none, so nothing leads there but the code itself. Every nmethod has its code's begin and end in
 * it, so the search ends there. Its content, which may begin with the code, is another such pair,
 * further up.
 */
static const char *find_by_pointers(const struct vm *vm, const char *code, uint32_t bytes)
{
	const char *at = code - sizeof(void *);
	uint64_t length = vm->blob_end - vm->blob_code;

	while (vm_pointer(at, 0) != code || !is_end(vm_pointer(at, length), code, bytes))
		if (code - (at -= sizeof(void *)) >= HEAD_BYTES_MAX)
			return NULL;
	if (vm_pointer(at - (vm->blob_content - vm->blob_code), 0) == code)
		return at - vm->blob_content;
	return at - vm->blob_code;
}

/* The same of an nmethod that has how far its code is from its begin, and its length. */
static const char *find_by_distance(const struct vm *vm, const char *code, uint32_t bytes)
{
	const char *at = code - sizeof(void *);

	while (vm_u32(at, vm->blob_code_distance) != (uint64_t)(code - at) ||
	       !is_end(at + vm_u32(at, vm->blob_bytes), code, bytes))
		if (code - (at -= sizeof(void *)) >= HEAD_BYTES_MAX)
			return NULL;
	return at;
}

/* NULL: it is another method's. */
static const char *find_nmethod(const struct vm *vm, const char *method, const char *code,
				uint32_t bytes)
{
	const char *nmethod = vm->has_distances ? find_by_distance(vm, code, bytes) :
						  find_by_pointers(vm, code, bytes);

	return nmethod && vm_pointer(nmethod, vm->nmethod_method) == method ? nmethod :
									      NULL;
}

/* Where calls enter, from the code's begin; NO_ENTRY: only those that replace an interpreter. */
static uint64_t entry_of(const struct vm *vm, const char *nmethod, const void *code)
{
	if (!nmethod || (int32_t)vm_u32(nmethod, vm->nmethod_entry) != NO_OSR)
		return NO_ENTRY;
	if (vm->has_distances)
		return vm_u16(nmethod, vm->nmethod_verified_distance);
	return vm_word(nmethod, vm->nmethod_verified) - (uint64_t)(uintptr_t)code;
}

/* Its name; how good a compiler; one more than where calls enter. */
static void put_tier(const struct vm *vm, struct buf *out, const char *nmethod,
		     uint64_t calls)
{
	enum note_tier tier = NOTE_OPTIMISED;
	char text[32] = "compiled";
	int32_t level, entry;

	if (nmethod) {
		level = (int32_t)(uint8_t)nmethod[vm->nmethod_level];
		entry = (int32_t)vm_u32(nmethod, vm->nmethod_entry);
		snprintf(text, sizeof(text), "%s tier %d%s", level == 4 ? "C2" : "C1",
			 (int)level, entry == NO_OSR ? "" : " OSR");
		tier = level == 4 ? NOTE_OPTIMISED : NOTE_COMPILED;
	}
	buf_put_string(out, text);
	buf_put_varint(out, tier);
	buf_put_varint(out, calls == NO_ENTRY ? 0 : calls + 1);
}

/* ---- rows ---------------------------------------------------------------- */

/* A method is its pointer's address in HotSpot: a jmethodID. */
static const char *method_of(jmethodID id)
{
	return vm_pointer((const char *)id, 0);
}

static const jvmtiCompiledMethodLoadInlineRecord *inline_record(const void *info)
{
	const jvmtiCompiledMethodLoadRecordHeader *record = info;

	while (record && record->kind != JVMTI_CMLR_INLINE_INFO)
		record = record->next;
	return (const void *)record;
}

/* A method of the rows. */
struct of_rows {
	jmethodID id;
	uint32_t *lines; /* [bytes]; NULL: not asked for yet, or no memory */
	uint32_t bytes;
};

/* A frame of a row. */
struct row_frame {
	jmethodID id;
	jint bci;
	uint32_t method; /* its number */
	uint32_t line;
};

/*
 * The methods of the rows, each once, and the frames of the row before, the outermost first: most
 * are those of the next row, too.
 */
struct methods {
	struct of_rows of[METHODS_MAX];
	uint32_t n;
	struct row_frame before[FRAMES_MAX];
};

/* Not all of it: there is one for each piece of code, of some methods mostly. */
static void methods_init(struct methods *methods)
{
	methods->n = 0;
	memset(methods->before, 0, sizeof(methods->before));
}

static void methods_fini(struct methods *methods)
{
	for (uint32_t i = 0; i < methods->n; i++)
		free(methods->of[i].lines);
}

/* The number of a method; METHODS_MAX: there are too many, or it was unloaded. */
static uint32_t number_of(struct methods *methods, jmethodID id)
{
	for (uint32_t i = 0; i < methods->n; i++)
		if (methods->of[i].id == id)
			return i;
	if (methods->n == METHODS_MAX || !method_of(id))
		return METHODS_MAX;
	methods->of[methods->n] = (struct of_rows){ .id = id };
	return methods->n++;
}

/* The line of a method's bytecode at that offset; 0: unknown. */
static uint32_t line_at(const struct vm *vm, struct of_rows *of, jint bci)
{
	if (bci < 0)
		return 0;
	if (!of->lines)
		of->lines = method_lines(vm, method_of(of->id), &of->bytes);
	return of->lines && (uint32_t)bci < of->bytes ? of->lines[bci] : 0;
}

/* Turns a frame of the row before into the one at its place; false: its method is unknown. */
static bool turn_frame(const struct vm *vm, struct methods *methods,
		       struct row_frame *frame, jmethodID id, jint bci)
{
	uint32_t method = frame->method;

	if (id && frame->id == id && frame->bci == bci)
		return true;
	if (frame->id != id)
		method = number_of(methods, id);
	if (method == METHODS_MAX)
		return false;
	*frame = (struct row_frame){ id, bci, method,
				     line_at(vm, &methods->of[method], bci) };
	return true;
}

/* Its frames, the outermost first; those further in than an unknown one are left out. */
static void put_frames(const struct vm *vm, struct buf *out, struct methods *methods,
		       const PCStackInfo *row)
{
	jint known = 0, last = row->numstackframes - 1;

	while (known <= last && known < FRAMES_MAX &&
	       turn_frame(vm, methods, &methods->before[known],
			  row->methods[last - known], row->bcis[last - known]))
		known++;
	buf_put_varint(out, (uint64_t)known);
	for (jint i = 0; i < known; i++) {
		const struct row_frame *frame = &methods->before[i];

		buf_put_varint(out, frame->method);
		buf_put_varint(out, frame->bci < 0 ? 0 : (uint64_t)frame->bci + 1);
		buf_put_varint(out, frame->line);
	}
}

/* A row is identified by where it begins, which is where the one before ends. */
static void put_rows(const struct vm *vm, struct buf *out, const char *code,
		     uint32_t bytes, const jvmtiCompiledMethodLoadInlineRecord *record)
{
	struct buf rows = BUF_INIT;
	const char *start = code, *told = code;
	struct methods methods;
	uint64_t n = 0;

	methods_init(&methods);
	for (jint i = 0; record && i < record->numpcs; i++) {
		const PCStackInfo *row = &record->pcinfo[i];

		if ((const char *)row->pc <= start)
			continue;
		buf_put_varint(&rows, (uint64_t)(start - told));
		put_frames(vm, &rows, &methods, row);
		told = start;
		start = row->pc;
		n++;
	}
	/* Nobody knows what is behind the last one, such as the block that C1 made last. */
	if (n && start < code + bytes) {
		buf_put_varint(&rows, (uint64_t)(start - told));
		buf_put_varint(&rows, 0);
		n++;
	}
	buf_put_varint(out, methods.n);
	for (uint32_t i = 0; i < methods.n; i++) {
		const char *method = method_of(methods.of[i].id);

		method_put_name(vm, out, method);
		method_put_file(vm, out, method);
		buf_put_varint(out, method_bytecode(vm, method));
	}
	buf_put_varint(out, n);
	buf_put(out, rows.data, rows.len);
	out->failed |= rows.failed;
	buf_fini(&rows);
	methods_fini(&methods);
}

/*
 * The code as it was made: nobody is to enter what has been given up, so the instruction
 * there is another one by now.
 */
static void put_bytes(struct buf *out, const void *code, uint32_t bytes, uint64_t calls)
{
	static const uint32_t nop = NOP;

	buf_put(out, code, bytes);
	if (!out->failed && calls < bytes && bytes - calls >= sizeof(nop))
		memcpy(out->data + out->len - bytes + calls, &nop, sizeof(nop));
}

/* ---- notes --------------------------------------------------------------- */

static void put_place(struct buf *out, const void *code, uint32_t bytes)
{
	buf_put_varint(out, (uint64_t)(uintptr_t)code);
	buf_put_varint(out, bytes);
}

void compiled_tell(const struct vm *vm, const char *method, const void *code,
		   uint32_t bytes, const void *info)
{
	const char *nmethod = find_nmethod(vm, method, code, bytes);
	uint64_t calls = entry_of(vm, nmethod, code);
	struct buf note = BUF_INIT;

	put_place(&note, code, bytes);
	method_put_name(vm, &note, method);
	method_put_file(vm, &note, method);
	put_tier(vm, &note, nmethod, calls);
	put_rows(vm, &note, code, bytes, inline_record(info));
	put_bytes(&note, code, bytes, calls);
	tell(NOTE_CODE, &note);
}

void compiled_tell_other(const char *name, const void *code, uint32_t bytes)
{
	struct buf note = BUF_INIT;

	put_place(&note, code, bytes);
	buf_put_string(&note, name);
	buf_put_string(&note, "");
	buf_put_string(&note, "stub");
	buf_put_varint(&note, NOTE_NO_TIER);
	buf_put_varint(&note, 0);
	put_rows(NULL, &note, code, 0, NULL);
	buf_put(&note, code, bytes);
	tell(NOTE_CODE, &note);
}

void compiled_tell_gone(const void *code)
{
	struct buf note = BUF_INIT;

	buf_put_varint(&note, (uint64_t)(uintptr_t)code);
	tell(NOTE_CODE_GONE, &note);
}
