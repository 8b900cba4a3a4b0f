// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs inside the guest's CPython, preloaded, and tells the recorder where code objects have
 * their bytecode, from when to when. No header of Python's is needed: everything is found by
 * name, and a name that is missing leaves the program alone.
 *
 * There is no interpreter yet when libraries are loaded, so an audit hook waits for the first
 * event of each, for a program may make more of them. It registers a watcher, which CPython calls
 * when a code object of that interpreter is made and before it is freed, and tells of those that
 * exist already: of functions, of frames, and of those nested in them.
 *
 * Invariant: the program prints and returns what it does without this. The variable that loads
 * this library is taken away before the program can see it, and no exception stays behind.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guides/preload.h"

#define NOTE_CALL 0x574d4b
enum { NOTE_RUNTIME = 1, NOTE_UNIT = 2, NOTE_UNIT_GONE = 3 };
enum { CODE_CREATED, CODE_DESTROYED }; /* PyCodeEvent */

struct object;

/* CPython's functions, by name. */
#define FUNCTIONS(F)                                                                    \
	F(int, PySys_AddAuditHook,                                                      \
	  (int (*)(const char *, struct object *, void *), void *))                     \
	F(int, PyCode_AddWatcher, (int (*)(int, struct object *)))                      \
	F(void *, PyThreadState_GetUnchecked, (void))                                   \
	F(struct object *, PyThreadState_GetFrame, (void *))                            \
	F(void *, PyThreadState_GetInterpreter, (void *))                               \
	F(int64_t, PyInterpreterState_GetID, (void *))                                  \
	F(struct object *, PyFrame_GetBack, (struct object *))                          \
	F(struct object *, PyFrame_GetCode, (struct object *))                          \
	F(struct object *, PyFunction_GetCode, (struct object *))                       \
	F(void, PyUnstable_GC_VisitObjects, (int (*)(struct object *, void *), void *)) \
	F(struct object *, PyObject_GetAttrString, (struct object *, const char *))     \
	F(struct object *, PyObject_Type, (struct object *))                            \
	F(const char *, PyUnicode_AsUTF8, (struct object *))                            \
	F(int, PyBytes_AsStringAndSize, (struct object *, char **, long *))             \
	F(long, PyLong_AsLong, (struct object *))                                       \
	F(long, PyTuple_Size, (struct object *))                                        \
	F(struct object *, PyTuple_GetItem, (struct object *, long))                    \
	F(void, Py_DecRef, (struct object *))                                           \
	F(void, Py_IncRef, (struct object *))                                           \
	F(struct object *, PyErr_GetRaisedException, (void))                            \
	F(void, PyErr_SetRaisedException, (struct object *))                            \
	F(void, PyErr_Clear, (void))                                                    \
	F(const char *, Py_GetVersion, (void))

static struct {
#define DECLARE(type, name, arguments) type(*name) arguments;
	FUNCTIONS(DECLARE)
#undef DECLARE
	struct object *PyFunction_Type, *PyCode_Type;
} py;

static long header_bytes; /* of a code object, before its bytecode; -1: not known */

/* ---- a note's bytes ------------------------------------------------------ */

struct text {
	uint8_t *data;
	size_t len, room;
};

static bool reserve(struct text *text, size_t bytes)
{
	size_t room = 2 * (text->len + bytes) + 256;
	uint8_t *grown;

	if (text->len + bytes <= text->room)
		return true;
	grown = realloc(text->data, room);
	if (!grown)
		return false;
	text->data = grown;
	text->room = room;
	return true;
}

static void put(struct text *text, const void *data, size_t bytes)
{
	if (!reserve(text, bytes))
		return;
	memcpy(text->data + text->len, data, bytes);
	text->len += bytes;
}

static void put_varint(struct text *text, uint64_t value)
{
	uint8_t byte;

	for (; value >= 0x80; value >>= 7) {
		byte = (uint8_t)(value | 0x80);
		put(text, &byte, 1);
	}
	byte = (uint8_t)value;
	put(text, &byte, 1);
}

static void put_string(struct text *text, const char *string)
{
	size_t bytes = string ? strlen(string) : 0;

	put_varint(text, bytes);
	put(text, string, bytes);
}

static void send_note(int kind, struct text *text)
{
	if (text->data)
		syscall(NOTE_CALL, kind, text->data, text->len);
	free(text->data);
}

/* ---- lines --------------------------------------------------------------- */

/* A location table (CPython's Objects/locations.md). */
struct table {
	const uint8_t *at, *end;
};

static unsigned get_byte(struct table *table)
{
	return table->at < table->end ? *table->at++ : 0;
}

static uint64_t get_varint(struct table *table)
{
	unsigned byte = get_byte(table), shift = 0;
	uint64_t value = byte & 63;

	while (byte & 64 && shift < 54) {
		byte = get_byte(table);
		shift += 6;
		value |= (uint64_t)(byte & 63) << shift;
	}
	return value;
}

static int64_t get_signed(struct table *table)
{
	uint64_t value = get_varint(table);

	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

enum { LOCATION_ONE_LINE = 10, LOCATION_NO_COLUMNS = 13, LOCATION_LONG, LOCATION_NONE };

/* Reads past the rest of an entry; returns by how much its line is later. */
static int64_t get_step(struct table *table, unsigned code)
{
	int64_t step;

	if (code == LOCATION_NONE)
		return 0;
	if (code == LOCATION_NO_COLUMNS)
		return get_signed(table);
	if (code == LOCATION_LONG) {
		step = get_signed(table);
		get_varint(table);
		get_varint(table);
		get_varint(table);
		return step;
	}
	get_byte(table);
	if (code < LOCATION_ONE_LINE)
		return 0;
	get_byte(table);
	return code - LOCATION_ONE_LINE;
}

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

/* The lines by offset; where code has none the line is 0. */
static void put_lines(struct text *text, const uint8_t *bytes, long size, int64_t line)
{
	struct table table = { bytes, bytes + size };
	struct text lines = { 0 };
	uint64_t n = 0, offset = 0, last_offset = 0;
	int64_t last = 0;

	while (table.at < table.end) {
		unsigned head = get_byte(&table), code = head >> 3 & 15;
		int64_t now;

		line += get_step(&table, code);
		now = code == LOCATION_NONE ? 0 : line;
		if (!n || now != last) {
			put_varint(&lines, zigzag((int64_t)(offset - last_offset)));
			put_varint(&lines, zigzag(now - last));
			last_offset = offset;
			last = now;
			n++;
		}
		offset += 2 * ((head & 7) + 1);
	}
	put_varint(text, n);
	put(text, lines.data, lines.len);
	free(lines.data);
}

/* ---- handlers ------------------------------------------------------------ */

/* A number of an exception table (CPython's Objects/exception_handling_notes.txt). */
static uint64_t get_entry(struct table *table)
{
	unsigned byte = get_byte(table);
	uint64_t value = byte & 63;

	for (unsigned i = 0; byte & 64 && i < 5; i++) {
		byte = get_byte(table);
		value = value << 6 | (byte & 63);
	}
	return value;
}

/* From which offset to which, and where what is raised there is caught. */
static void put_handlers(struct text *text, const uint8_t *bytes, long size)
{
	struct table table = { bytes, bytes + size };
	struct text handlers = { 0 };
	uint64_t n = 0;

	for (; table.at < table.end; n++) {
		uint64_t from = 2 * get_entry(&table), length = 2 * get_entry(&table);

		put_varint(&handlers, from);
		put_varint(&handlers, from + length);
		put_varint(&handlers, 2 * get_entry(&table));
		get_entry(&table); /* what it leaves on the stack */
	}
	put_varint(text, n);
	put(text, handlers.data, handlers.len);
	free(handlers.data);
}

/* ---- code objects -------------------------------------------------------- */

static void put_attribute(struct text *text, struct object *code, const char *name)
{
	struct object *value = py.PyObject_GetAttrString(code, name);

	put_string(text, value ? py.PyUnicode_AsUTF8(value) : NULL);
	if (value)
		py.Py_DecRef(value);
	else
		py.PyErr_Clear();
}

static long get_number(struct object *of, const char *name)
{
	struct object *value = py.PyObject_GetAttrString(of, name);
	long number = value ? py.PyLong_AsLong(value) : 0;

	if (value)
		py.Py_DecRef(value);
	py.PyErr_Clear();
	return number;
}

/* A new reference to the bytes of an attribute; NULL: it has no bytes. */
static struct object *get_bytes(struct object *of, const char *name, char **bytes,
				long *size)
{
	struct object *value = py.PyObject_GetAttrString(of, name);

	if (value && !py.PyBytes_AsStringAndSize(value, bytes, size))
		return value;
	if (value)
		py.Py_DecRef(value);
	py.PyErr_Clear();
	return NULL;
}

/* The code is what the compiler made, whatever the interpreter has made of it since. */
static void put_code(struct text *text, struct object *code)
{
	char *bytecode, *table, *raised;
	long size, table_size, raised_size;
	struct object *its_code = get_bytes(code, "co_code", &bytecode, &size);
	struct object *lines = get_bytes(code, "co_linetable", &table, &table_size);
	struct object *handlers =
		get_bytes(code, "co_exceptiontable", &raised, &raised_size);

	if (its_code && lines && handlers) {
		put_varint(text, (uint64_t)(uintptr_t)code + (uint64_t)header_bytes);
		put_varint(text, (uint64_t)size);
		put_attribute(text, code, "co_qualname");
		put_string(text, "");
		put_attribute(text, code, "co_filename");
		put_lines(text, (const uint8_t *)table, table_size,
			  get_number(code, "co_firstlineno"));
		put_handlers(text, (const uint8_t *)raised, raised_size);
		put(text, bytecode, (size_t)size);
	}
	if (its_code)
		py.Py_DecRef(its_code);
	if (lines)
		py.Py_DecRef(lines);
	if (handlers)
		py.Py_DecRef(handlers);
}

static int on_code(int event, struct object *code)
{
	struct object *raised = py.PyErr_GetRaisedException();
	struct text text = { 0 };

	if (event == CODE_CREATED)
		put_code(&text, code);
	else
		put_varint(&text, (uint64_t)(uintptr_t)code + (uint64_t)header_bytes);
	send_note(event == CODE_CREATED ? NOTE_UNIT : NOTE_UNIT_GONE, &text);
	py.PyErr_SetRaisedException(raised);
	return 0;
}

/* ---- those that exist already -------------------------------------------- */

struct list {
	struct object **all;
	size_t n, room;
};

static void add(struct list *list, struct object *object)
{
	struct object **grown;

	if (list->n == list->room) {
		grown = realloc(list->all, (2 * list->n + 64) * sizeof(*grown));
		if (!grown)
			return;
		list->all = grown;
		list->room = 2 * list->n + 64;
	}
	py.Py_IncRef(object);
	list->all[list->n++] = object;
}

static bool is_of(struct object *object, struct object *type)
{
	struct object *its = py.PyObject_Type(object);

	py.Py_DecRef(its);
	return its == type;
}

static int add_function(struct object *object, void *list)
{
	if (is_of(object, py.PyFunction_Type))
		add(list, py.PyFunction_GetCode(object));
	return 1;
}

static void add_frames(struct list *list, void *thread)
{
	struct object *frame = py.PyThreadState_GetFrame(thread), *code, *back;

	for (; frame; frame = back) {
		code = py.PyFrame_GetCode(frame);
		add(list, code);
		py.Py_DecRef(code);
		back = py.PyFrame_GetBack(frame);
		py.Py_DecRef(frame);
	}
}

/* Code that other code has among its constants: functions that are still to be made. */
static void add_nested(struct list *list, struct object *code)
{
	struct object *constants = py.PyObject_GetAttrString(code, "co_consts");
	long n = constants ? py.PyTuple_Size(constants) : 0;

	for (long i = 0; i < n; i++) {
		struct object *constant = py.PyTuple_GetItem(constants, i);

		if (constant && is_of(constant, py.PyCode_Type))
			add(list, constant);
	}
	if (constants)
		py.Py_DecRef(constants);
	py.PyErr_Clear();
}

static int by_address(const void *one, const void *other)
{
	uintptr_t a = (uintptr_t) * (struct object *const *)one;
	uintptr_t b = (uintptr_t) * (struct object *const *)other;

	return (a > b) - (a < b);
}

static void tell_all(void *thread)
{
	struct list list = { 0 };
	struct text text = { 0 };

	py.PyUnstable_GC_VisitObjects(add_function, &list);
	add_frames(&list, thread);
	for (size_t i = 0; i < list.n; i++)
		add_nested(&list, list.all[i]);
	if (list.n)
		qsort(list.all, list.n, sizeof(*list.all), by_address);
	for (size_t i = 0; i < list.n; i++) {
		if (!i || list.all[i] != list.all[i - 1])
			put_code(&text, list.all[i]);
	}
	for (size_t i = 0; i < list.n; i++)
		py.Py_DecRef(list.all[i]);
	free(list.all);
	send_note(NOTE_UNIT, &text);
}

static void tell_runtime(void)
{
	struct text text = { 0 };
	const char *version = py.Py_GetVersion();
	size_t n = strcspn(version, " ");

	put_string(&text, "CPython");
	put_varint(&text, n);
	put(&text, version, n);
	put_string(&text, "interpreted");
	send_note(NOTE_RUNTIME, &text);
}

/* ---- how it begins ------------------------------------------------------- */

/* Interpreters count from 0; what runs in those from this on is not known. */
#define INTERPRETERS_MAX 65536

/* Whether nothing has been told of the thread's interpreter yet. Several may ask at a time. */
static bool is_new(void *thread)
{
	static atomic_uint told[INTERPRETERS_MAX / 32]; /* a bit each */
	int64_t id = py.PyInterpreterState_GetID(py.PyThreadState_GetInterpreter(thread));
	unsigned bit = 1u << ((uint64_t)id & 31);

	return id >= 0 && id < INTERPRETERS_MAX && !(told[id / 32] & bit) &&
	       !(atomic_fetch_or(&told[id / 32], bit) & bit);
}

/* Whether readers know the bytecode of this release. */
static bool is_known(void)
{
	static const char *const releases[] = { "3.13.", "3.14.", "3.15." };

	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++)
		if (!strncmp(py.Py_GetVersion(), releases[i], strlen(releases[i])))
			return true;
	return false;
}

static void begin_interpreter(void *thread)
{
	if (!header_bytes) {
		header_bytes = is_known() ? get_number(py.PyCode_Type, "__basicsize__") :
					    -1;
		tell_runtime();
	}
	if (header_bytes > 0) {
		tell_all(thread);
		py.PyCode_AddWatcher(on_code);
	}
}

static int on_audit(const char *event, struct object *arguments, void *unused)
{
	void *thread = py.PyThreadState_GetUnchecked();
	struct object *raised;

	(void)event, (void)arguments, (void)unused;
	if (!thread || !is_new(thread))
		return 0;
	raised = py.PyErr_GetRaisedException();
	begin_interpreter(thread);
	py.PyErr_SetRaisedException(raised);
	return 0;
}

static bool find_functions(void)
{
#define FIND(type, name, arguments)                                         \
	py.name = (type(*) arguments)(uintptr_t)dlsym(RTLD_DEFAULT, #name); \
	if (!py.name)                                                       \
		return false;
	FUNCTIONS(FIND)
#undef FIND
	py.PyFunction_Type = dlsym(RTLD_DEFAULT, "PyFunction_Type");
	py.PyCode_Type = dlsym(RTLD_DEFAULT, "PyCode_Type");
	return py.PyFunction_Type && py.PyCode_Type;
}

__attribute__((constructor)) static void begin(void)
{
	preload_hide();
	if (find_functions())
		py.PySys_AddAuditHook(on_audit, NULL);
}
