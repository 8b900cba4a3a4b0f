// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The accesses of an instruction in its line:
 *
 *	text	... ld a5, 8(sp)  [load 8 0x40007ff8 = 0x0000000000000001]
 *	csv	a last column, with blanks between accesses: load:8:0x40007ff8:0x...
 *	jsonl	"accesses":[{"kind":"load","size":8,"address":"0x40007ff8","value":"0x..."}]
 */
#include "export/access_format.h"

#include <inttypes.h>
#include <stdio.h>

const char *access_kind(const struct wm_access *access)
{
	return access->kind == WM_ACCESS_STORE ? "store" :
	       access->kind == WM_ACCESS_LOAD  ? "load" :
						 "register";
}

const char *access_value(char text[ACCESS_VALUE_TEXT], const struct wm_access *access)
{
	if (!access->has_data)
		return "";
	if (access->size > 8)
		snprintf(text, ACCESS_VALUE_TEXT, "0x%016" PRIx64 "%016" PRIx64,
			 access->data[1], access->data[0]);
	else
		snprintf(text, ACCESS_VALUE_TEXT, "0x%0*" PRIx64, 2 * access->size,
			 access->data[0]);
	return text;
}

static int put_text(char *text, size_t size, const struct wm_access *access)
{
	char value[ACCESS_VALUE_TEXT];

	return snprintf(text, size, "%s %u 0x%" PRIx64 "%s%s", access_kind(access),
			access->size, access->address, access->has_data ? " = " : "",
			access_value(value, access));
}

static int put_csv(char *text, size_t size, const struct wm_access *access)
{
	char value[ACCESS_VALUE_TEXT];

	return snprintf(text, size, "%s:%u:0x%" PRIx64 ":%s", access_kind(access),
			access->size, access->address, access_value(value, access));
}

static int put_jsonl(char *text, size_t size, const struct wm_access *access)
{
	const char *quote = access->has_data ? "\"" : "";
	char value[ACCESS_VALUE_TEXT];

	return snprintf(text, size,
			"{\"kind\":\"%s\",\"size\":%u,\"address\":\"0x%" PRIx64
			"\",\"value\":%s%s%s}",
			access_kind(access), access->size, access->address, quote,
			access->has_data ? access_value(value, access) : "null", quote);
}

const struct line_accesses accesses_text = {
	.tail = "\n",
	.begin = "  [",
	.between = ", ",
	.end = "]",
	.put = put_text,
};

const struct line_accesses accesses_csv = {
	.header = "ordinal,address,symbol,offset,code,disassembly,accesses\n",
	.tail = "\n",
	.begin = ",",
	.between = " ",
	.end = "",
	.always = true,
	.put = put_csv,
};

const struct line_accesses accesses_jsonl = {
	.tail = "}\n",
	.begin = ",\"accesses\":[",
	.between = ",",
	.end = "]",
	.always = true,
	.put = put_jsonl,
};
