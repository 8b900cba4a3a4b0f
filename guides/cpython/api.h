/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPython's functions and types, found by name: no header of Python's is needed. */
#ifndef GUIDES_CPYTHON_API_H
#define GUIDES_CPYTHON_API_H

#include <stdbool.h>
#include <stdint.h>

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
	F(long, PyLong_AsLongAndOverflow, (struct object *, int *))                     \
	F(long, PyLong_AsNativeBytes, (struct object *, void *, long, int))             \
	F(struct object *, PyObject_Repr, (struct object *))                            \
	F(struct object *, PyObject_GetIter, (struct object *))                         \
	F(struct object *, PyIter_Next, (struct object *))                              \
	F(long, PyUnicode_GetLength, (struct object *))                                 \
	F(struct object *, PyUnicode_Substring, (struct object *, long, long))          \
	F(struct object *, PyBytes_FromStringAndSize, (const char *, long))             \
	F(long, PyTuple_Size, (struct object *))                                        \
	F(struct object *, PyTuple_GetItem, (struct object *, long))                    \
	F(void, Py_DecRef, (struct object *))                                           \
	F(void, Py_IncRef, (struct object *))                                           \
	F(struct object *, PyErr_GetRaisedException, (void))                            \
	F(void, PyErr_SetRaisedException, (struct object *))                            \
	F(void, PyErr_Clear, (void))                                                    \
	F(const char *, Py_GetVersion, (void))

/* Its types, and the objects None, True and False. */
#define OBJECTS(T)          \
	T(PyFunction_Type)  \
	T(PyCode_Type)      \
	T(PyLong_Type)      \
	T(PyBool_Type)      \
	T(PyFloat_Type)     \
	T(PyComplex_Type)   \
	T(PyUnicode_Type)   \
	T(PyBytes_Type)     \
	T(PyTuple_Type)     \
	T(PyFrozenSet_Type) \
	T(PySlice_Type)     \
	T(PyEllipsis_Type)  \
	T(_Py_NoneStruct)   \
	T(_Py_TrueStruct)   \
	T(_Py_FalseStruct)

struct api {
#define DECLARE(type, name, arguments) type(*name) arguments;
	FUNCTIONS(DECLARE)
#undef DECLARE
#define DECLARE(name) struct object *name;
	OBJECTS(DECLARE)
#undef DECLARE
};

extern struct api py;

/* False: a name is missing. */
bool api_find(void);

/* Whether it is of that type, and of no type below it. */
static inline bool is_of(struct object *object, struct object *type)
{
	struct object *its = py.PyObject_Type(object);

	py.Py_DecRef(its);
	return its == type;
}

#endif
