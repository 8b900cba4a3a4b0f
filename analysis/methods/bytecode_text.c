// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A class is written as in the names of its methods: "shop/Order" of the class file is
 * "shop.Order". Other operands of Java have texts that are ready. The dynamic call sites of lambdas
 * and of strings that are put together name no method.
 */
#include "analysis/methods/bytecode_text.h"

#include <stdio.h>
#include <string.h>

/* A name as snprintf() takes it for "%.*s"; 0 is an empty one. */
struct words {
	int bytes;
	const char *text;
};

static struct words words_of(const struct classes *classes, uint32_t name)
{
	uint64_t unused;
	uint32_t bytes = 0;
	const uint8_t *text = name ? intern_code(&classes->names, name, &unused, &bytes) :
				     NULL;

	return (struct words){ (int)bytes, text ? (const char *)text : "" };
}

int bytecode_names_read(struct bytecode_names *names, const struct units *units,
			struct wm_error *err)
{
	int ret;

	*names = (struct bytecode_names){ .classes = { .n = 0 } };
	ret = classes_read(&names->classes, units, err);
	return ret ? ret : operands_read(&names->operands, units, err);
}

void bytecode_names_fini(struct bytecode_names *names)
{
	classes_fini(&names->classes);
	operands_fini(&names->operands);
}

void bytecode_text(const struct bytecode_names *names, const struct unit *unit,
		   uint32_t offset, char *text, size_t size)
{
	const struct classes *classes = &names->classes;
	const struct class_place *place = classes_call(classes, unit, offset);
	struct words class, name, type;
	char *end;

	operands_text(&names->operands, unit, offset, text, size);
	if (!place)
		return;
	class = words_of(classes, place->class);
	name = words_of(classes, place->name);
	type = words_of(classes, place->type);
	end = text + strlen(text);
	size -= (size_t)(end - text);
	snprintf(end, size, " %.*s.%.*s%.*s", class.bytes, class.text, name.bytes,
		 name.text, type.bytes, type.text);
	for (int i = 0; i <= class.bytes && end[i]; i++)
		if (end[i] == '/')
			end[i] = '.';
}
