// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs inside the guest's CPython, preloaded, and tells the recorder where code objects have
 * their bytecode, from when to when, and what its operands name. No header of Python's is needed:
 * everything is found by name, and a name that is missing leaves the program alone.
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
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guides/cpython/api.h"
#include "guides/cpython/operands.h"
#include "guides/cpython/tables.h"
#include "guides/cpython/text.h"
#include "guides/preload.h"

enum {
	NOTE_RUNTIME = 1,
	NOTE_UNIT = 2,
	NOTE_UNIT_GONE = 3,
	NOTE_OPERANDS = 10,
	NOTE_EVALUATOR = 11,
};
enum { CODE_CREATED, CODE_DESTROYED }; /* PyCodeEvent */

static bool begun;
static struct operands operands; /* of a release that is not known `python` is NULL */

/* ---- code objects -------------------------------------------------------- */

static void put_attribute(struct text *text, struct object *code, const char *name)
{
	struct object *value = py.PyObject_GetAttrString(code, name);

	text_put_string(text, value ? py.PyUnicode_AsUTF8(value) : NULL);
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

static uint64_t start_of(struct object *code)
{
	return (uint64_t)(uintptr_t)code + (uint64_t)operands.code_bytes;
}

/* The code is what the compiler made, whatever the interpreter has made of it since. */
static void put_code(struct text *text, struct text *named, struct object *code)
{
	char *bytecode, *table, *raised;
	long size, table_size, raised_size;
	struct object *its_code = get_bytes(code, "co_code", &bytecode, &size);
	struct object *lines = get_bytes(code, "co_linetable", &table, &table_size);
	struct object *handlers =
		get_bytes(code, "co_exceptiontable", &raised, &raised_size);

	if (its_code && lines && handlers) {
		text_put_varint(text, start_of(code));
		text_put_varint(text, (uint64_t)size);
		put_attribute(text, code, "co_qualname");
		text_put_string(text, "");
		put_attribute(text, code, "co_filename");
		put_lines(text, (const uint8_t *)table, table_size,
			  get_number(code, "co_firstlineno"));
		put_handlers(text, (const uint8_t *)raised, raised_size);
		text_put(text, bytecode, (size_t)size);
		put_operands(&operands, named, code, start_of(code),
			     (const uint8_t *)bytecode, (size_t)size);
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
	struct text text = { 0 }, named = { 0 };

	if (event == CODE_CREATED)
		put_code(&text, &named, code);
	else
		text_put_varint(&text, start_of(code));
	text_send(event == CODE_CREATED ? NOTE_UNIT : NOTE_UNIT_GONE, &text);
	text_send(NOTE_OPERANDS, &named);
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
	struct text text = { 0 }, named = { 0 };

	py.PyUnstable_GC_VisitObjects(add_function, &list);
	add_frames(&list, thread);
	for (size_t i = 0; i < list.n; i++)
		add_nested(&list, list.all[i]);
	if (list.n)
		qsort(list.all, list.n, sizeof(*list.all), by_address);
	for (size_t i = 0; i < list.n; i++) {
		if (!i || list.all[i] != list.all[i - 1])
			put_code(&text, &named, list.all[i]);
	}
	for (size_t i = 0; i < list.n; i++)
		py.Py_DecRef(list.all[i]);
	free(list.all);
	text_send(NOTE_UNIT, &text);
	text_send(NOTE_OPERANDS, &named);
}

static void tell_runtime(void)
{
	struct text text = { 0 };
	const char *version = py.Py_GetVersion();
	size_t n = strcspn(version, " ");

	text_put_string(&text, "CPython");
	text_put_varint(&text, n);
	text_put(&text, version, n);
	text_put_string(&text, "interpreted");
	text_send(NOTE_RUNTIME, &text);
}

/*
 * The evaluator loads each code unit, 2 bytes, before it jumps to the code of its opcode. Those
 * loads must be known before the evaluator runs.
 */
static void tell_evaluator(void)
{
	void *evaluator = dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
	const ElfW(Sym) *symbol = NULL;
	struct text text = { 0 };
	Dl_info info;

	if (!evaluator ||
	    !dladdr1(evaluator, &info, (void **)(void *)&symbol, RTLD_DL_SYMENT) ||
	    !symbol)
		return;
	text_put_varint(&text, (uintptr_t)evaluator);
	text_put_varint(&text, symbol->st_size);
	text_put_varint(&text, 2);
	text_send(NOTE_EVALUATOR, &text);
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

static void begin_interpreter(void *thread)
{
	const char *version = py.Py_GetVersion();

	if (!begun) {
		begun = true;
		operands.python = python_find((const uint8_t *)version, strlen(version));
		operands.code_bytes = get_number(py.PyCode_Type, "__basicsize__");
		tell_runtime();
	}
	if (operands.python && operands.code_bytes > 0) {
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

__attribute__((constructor)) static void begin(void)
{
	preload_hide();
	if (!api_find())
		return;
	tell_evaluator();
	py.PySys_AddAuditHook(on_audit, NULL);
}
