// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libjvm describes its structures in three arrays for debuggers: fields, types, constants.
 * What an entry looks like is itself told by variables, so nothing here depends on a
 * version. A libjvm that lacks one of the names gets no guide.
 *
 * Example: the entry of type "Method" and field "_constMethod" has the offset 8, so the
 * pointer is at the Method's byte 8.
 */
#define _GNU_SOURCE
#include "guides/hotspot/vm.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

/* From OpenJDK 26 on a jmethodID is a number, which does not lead to the method. */
enum { NEWEST = 25 };

/* An array of libjvm, and what its entries look like. */
struct list {
	const char *at; /* its first entry */
	uint64_t stride, type, name, value, address;
};

static bool ask(const char *symbol, uint64_t *value)
{
	const void *at = dlsym(RTLD_DEFAULT, symbol);

	if (at)
		memcpy(value, at, sizeof(*value));
	return at;
}

/* The entry of that type and name; list->type is UINT64_MAX where there are no types. */
static const char *find(const struct list *list, const char *type, const char *name)
{
	for (const char *at = list->at; vm_pointer(at, list->name); at += list->stride)
		if (!strcmp(vm_pointer(at, list->name), name) &&
		    (list->type == UINT64_MAX ||
		     !strcmp(vm_pointer(at, list->type), type)))
			return at;
	return NULL;
}

static bool open_list(struct list *list, const char *array, const char *stride)
{
	uint64_t first;

	if (!ask(array, &first) || !ask(stride, &list->stride))
		return false;
	list->at = (const char *)(uintptr_t)first;
	list->type = UINT64_MAX;
	return true;
}

/* ---- fields -------------------------------------------------------------- */

struct field {
	const char *type, *name;
	size_t member; /* of struct vm */
};

#define FIELD(type, name, member)                       \
	{                                               \
		type, name, offsetof(struct vm, member) \
	}

static const struct field fields[] = {
	FIELD("StubQueue", "_stub_buffer", queue_buffer),
	FIELD("StubQueue", "_queue_begin", queue_begin),
	FIELD("StubQueue", "_buffer_limit", queue_limit),
	FIELD("StubQueue", "_number_of_stubs", queue_count),
	FIELD("InterpreterCodelet", "_size", codelet_size),
	FIELD("InterpreterCodelet", "_description", codelet_description),
	FIELD("InterpreterCodelet", "_bytecode", codelet_bytecode),
	FIELD("Method", "_constMethod", method_const),
	FIELD("ConstMethod", "_constants", const_pool),
	FIELD("ConstMethod", "_constMethod_size", const_words),
	FIELD("ConstMethod", "_code_size", const_code_size),
	FIELD("ConstMethod", "_name_index", const_name),
	FIELD("ConstMethod", "_signature_index", const_signature),
	FIELD("ConstantPool", "_pool_holder", pool_holder),
	FIELD("ConstantPool", "_source_file_name_index", pool_file),
	FIELD("Klass", "_name", klass_name),
	FIELD("InstanceKlass", "_methods", klass_methods),
	FIELD("InstanceKlass", "_constants", klass_pool),
	FIELD("nmethod", "_comp_level", nmethod_level),
	FIELD("nmethod", "_entry_bci", nmethod_entry),
	FIELD("Symbol", "_length", symbol_length),
	FIELD("Symbol", "_body", symbol_body),
};

/* A JVM has the one, or, before OpenJDK 21, the other. */
static const struct field flags_inside[] = {
	FIELD("ConstMethod", "_flags._flags", const_flags),
};
static const struct field flags_plain[] = {
	FIELD("ConstMethod", "_flags", const_flags),
};

/* And so it has all of the one or all of the other of these. */
static const struct field code_pointers[] = {
	FIELD("CodeBlob", "_code_begin", blob_code),
	FIELD("CodeBlob", "_code_end", blob_end),
	FIELD("CodeBlob", "_content_begin", blob_content),
	FIELD("CompiledMethod", "_method", nmethod_method),
	FIELD("nmethod", "_verified_entry_point", nmethod_verified),
};
static const struct field code_distances[] = {
	FIELD("CodeBlob", "_size", blob_bytes),
	FIELD("CodeBlob", "_code_offset", blob_code_distance),
	FIELD("nmethod", "_method", nmethod_method),
	FIELD("nmethod", "_verified_entry_offset", nmethod_verified_distance),
};

/* If a JVM lacks one of these, the agent sends no notes about classes. */
static const struct field class_fields[] = {
	FIELD("Klass", "_super", klass_super),
	FIELD("Klass", "_access_flags", klass_flags),
	FIELD("InstanceKlass", "_transitive_interfaces", klass_interfaces),
	FIELD("Method", "_access_flags", method_flags),
	FIELD("Method", "_i2i_entry", method_entry),
	FIELD("ConstantPool", "_tags", pool_tags),
	FIELD("ConstantPool", "_cache", pool_cache),
	FIELD("ConstantPool", "_length", pool_length),
};

/* As of the code. */
static const struct field cache_places[] = {
	FIELD("ConstantPoolCache", "_length", cache_length),
	FIELD("ConstantPoolCacheEntry", "_indices", place_index),
};
static const struct field cache_array[] = {
	FIELD("ConstantPoolCache", "_resolved_method_entries", cache_methods),
	FIELD("ResolvedMethodEntry", "_cpool_index", place_index),
};

/* If a JVM lacks one of these, the agent sends no notes about operands. */
static const struct field operand_fields[] = {
	FIELD("ConstantPoolCache", "_reference_map", cache_references),
};
/* Of one that has an array of methods. */
static const struct field field_array[] = {
	FIELD("ConstantPoolCache", "_resolved_field_entries", cache_fields),
	FIELD("ResolvedFieldEntry", "_cpool_index", field_index),
};
static const struct field dynamic_array[] = {
	FIELD("ConstantPoolCache", "_resolved_indy_entries", cache_dynamic),
	FIELD("ResolvedIndyEntry", "_cpool_index", dynamic_index),
};

static bool open_fields(struct list *list)
{
	return open_list(list, "gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride") &&
	       ask("gHotSpotVMStructEntryTypeNameOffset", &list->type) &&
	       ask("gHotSpotVMStructEntryFieldNameOffset", &list->name) &&
	       ask("gHotSpotVMStructEntryOffsetOffset", &list->value) &&
	       ask("gHotSpotVMStructEntryAddressOffset", &list->address);
}

void *vm_static(const char *type, const char *name)
{
	struct list list;
	const char *entry = open_fields(&list) ? find(&list, type, name) : NULL;

	return entry ? (void *)(uintptr_t)vm_word(entry, list.address) : NULL;
}

/* Reads all[n] out of a list: of types, which have no field's name, or of fields. */
static bool read_list(struct vm *vm, const struct list *list, const struct field *all,
		      size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *entry = *all[i].name ? find(list, all[i].type, all[i].name) :
						   find(list, NULL, all[i].type);

		if (!entry)
			return false;
		memcpy((char *)vm + all[i].member, entry + list->value, sizeof(uint64_t));
	}
	return true;
}

static bool read_fields(struct vm *vm)
{
	struct list list;
	const void *queue;

#define READ(fields) read_list(vm, &list, fields, sizeof(fields) / sizeof(*(fields)))
	if (!open_fields(&list) || !READ(fields) ||
	    (!READ(flags_inside) && !READ(flags_plain)))
		return false;
	vm->has_distances = READ(code_distances);
	if (!vm->has_distances && !READ(code_pointers))
		return false;
	vm->has_array = READ(cache_array);
	vm->has_classes = READ(class_fields) && (vm->has_array || READ(cache_places));
	vm->has_operands = vm->has_classes && READ(operand_fields) &&
			   (!vm->has_array || READ(field_array));
	vm->has_dynamic = READ(dynamic_array);
	queue = vm_static("AbstractInterpreter", "_code");
	vm->queue = queue ? vm_pointer(queue, 0) : NULL;
	return vm->queue;
}

/* ---- types and constants ------------------------------------------------- */

static const struct field types[] = {
	FIELD("InterpreterCodelet", "", codelet_bytes),
	FIELD("ConstMethod", "", const_bytes),
	FIELD("ConstantPool", "", pool_bytes),
};

static const struct field place_types[] = {
	FIELD("ConstantPoolCache", "", cache_bytes),
	FIELD("ConstantPoolCacheEntry", "", place_bytes),
};
static const struct field array_types[] = {
	FIELD("ResolvedMethodEntry", "", place_bytes),
};

static const struct field field_types[] = {
	FIELD("ResolvedFieldEntry", "", field_bytes),
};
static const struct field dynamic_types[] = {
	FIELD("ResolvedIndyEntry", "", dynamic_bytes),
};

static bool read_types(struct vm *vm)
{
	struct list list;

	if (!open_list(&list, "gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride") ||
	    !ask("gHotSpotVMTypeEntryTypeNameOffset", &list.name) ||
	    !ask("gHotSpotVMTypeEntrySizeOffset", &list.value))
		return false;
	vm->has_classes &= vm->has_array ? READ(array_types) : READ(place_types);
	vm->has_operands &= vm->has_classes && (!vm->has_array || READ(field_types)) &&
			    (!vm->has_dynamic || READ(dynamic_types));
	return READ(types);
#undef READ
}

#define FLAG(name, member)                        \
	{                                         \
		name, offsetof(struct vm, member) \
	}

static const struct flag {
	const char *name;
	size_t member; /* of struct vm */
} flags[] = {
	FLAG("linenumber_table", has_lines),
	FLAG("checked_exceptions", has_checked),
	FLAG("exception_table", has_handlers),
	FLAG("generic_signature", has_signature),
	FLAG("method_parameters", has_parameters),
	FLAG("method_annotations", has_annotations[0]),
	FLAG("parameter_annotations", has_annotations[1]),
	FLAG("type_annotations", has_annotations[2]),
	FLAG("default_annotations", has_annotations[3]),
};

/* The entry of a flag's constant, which has another name before OpenJDK 21. NULL if it is missing. */
static const char *find_flag(const struct list *list, const char *flag)
{
	static const char *const before[] = { "ConstMethodFlags::_misc_has_",
					      "ConstMethod::_has_" };
	const char *entry = NULL;
	char name[64];

	for (unsigned i = 0; i < 2 && !entry; i++) {
		snprintf(name, sizeof(name), "%s%s", before[i], flag);
		entry = find(list, NULL, name);
	}
	return entry;
}

static bool read_flags(struct vm *vm)
{
	struct list list;
	const char *entry;

	if (!open_list(&list, "gHotSpotVMIntConstants",
		       "gHotSpotVMIntConstantEntryArrayStride") ||
	    !ask("gHotSpotVMIntConstantEntryNameOffset", &list.name) ||
	    !ask("gHotSpotVMIntConstantEntryValueOffset", &list.value))
		return false;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		entry = find_flag(&list, flags[i].name);
		if (!entry)
			return false;
		memcpy((char *)vm + flags[i].member, entry + list.value,
		       sizeof(uint32_t));
	}
	return true;
}

bool vm_read(struct vm *vm, unsigned release)
{
	vm->least_byte = release >= 20;
	return release <= NEWEST && read_fields(vm) && read_types(vm) && read_flags(vm);
}
