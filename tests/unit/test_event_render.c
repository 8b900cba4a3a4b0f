// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of events.def: what is in it can be printed, each field once, and safely. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "events/render.h"

static void check(uint32_t kind, const uint64_t *fields, const char *text,
		  const char *wanted)
{
	char *got = NULL;
	size_t bytes;
	FILE *out = open_memstream(&got, &bytes);

	event_render(out, event_info(kind), kernel_find("riscv64"), fields, text,
		     strlen(text));
	fclose(out);
	assert_string_equal(got, wanted);
	free(got);
}

#define FIELDS(...) ((uint64_t[WM_EVENT_FIELDS]){ __VA_ARGS__ })

static void words(void **state)
{
	(void)state;
	check(WM_EVENT_SYSCALL, FIELDS(56, (uint64_t)-100, 0x10, 2, 3, 4, 5), "/etc",
	      "openat(0xffffffffffffff9c, 0x10, 0x2, 0x3, 0x4, 0x5) \"/etc\"");
	check(WM_EVENT_SYSCALL, FIELDS(9999), "",
	      "syscall_0x270f(0x0, 0x0, 0x0, 0x0, 0x0, 0x0)");
	check(WM_EVENT_SYSCALL_RET, FIELDS(64, (uint64_t)-9), "", "write = -9");
	check(WM_EVENT_SIGNAL, FIELDS(11, 1, 0x10000, 0x10, 0x20000), "",
	      "SIGSEGV code 1 at 0x10000, address 0x10, handler 0x20000");
	check(WM_EVENT_MARKER, FIELDS(1, 7), "", "begin 7");
	check(WM_EVENT_MARKER, FIELDS(9, 7), "", "9 7");
	check(WM_EVENT_WINDOW, FIELDS(0, 2, 100), "",
	      "2 closes, 100 instructions passed");
	check(WM_EVENT_TB_TRANSLATE, FIELDS(0x10430, 7), "", "0x10430, 7 instructions");
	check(WM_EVENT_TRAP, FIELDS(0, 0x10, 0x20, 37, 0, 0, 1), "",
	      "interrupt: timer interrupt at 0x10, value 0x0, user to kernel, handler 0x20");
	check(WM_EVENT_TRAP, FIELDS(1, 0x10, 0x20, 14, 7, 4, 3), "",
	      "exception: 14 at 0x10, value 0x7, 4 to firmware, handler 0x20");
	check(WM_EVENT_TRAP_RETURN, FIELDS(0x30, 3, 1), "",
	      "to 0x30, firmware to kernel");
	check(WM_EVENT_EXEC, FIELDS(0), "/bin/x", "/bin/x");
}

static void text_is_harmless(void **state)
{
	(void)state;
	check(WM_EVENT_LOST, FIELDS(0), "a\nb\033[2J\177\302\233c\303\244",
	      "a\\nb\\x1b[2J\\x7f\\xc2\233c\303\244");
}

/* Each name in braces is a field's, and each field is in braces. */
static void formats_have_their_fields(void **state)
{
	const struct event_info *info;

	(void)state;
	for (unsigned i = 0; (info = event_info_at(i)); i++) {
		unsigned braces = 0, fields = 0;

		for (const char *at = info->format; (at = strchr(at, '{')); at++)
			braces++;
		for (const struct event_field *field = info->fields; field->name;
		     field++) {
			char braced[64];

			snprintf(braced, sizeof(braced), "{%s}", field->name);
			assert_non_null(strstr(info->format, braced));
			fields++;
		}
		assert_int_equal(braces, fields);
		assert_int_equal(fields, info->n_numbers + !!event_text_field(info));
		assert_ptr_equal(event_info(info->number), info);
	}
	assert_null(event_info(0));
	assert_null(event_info(64));
	assert_null(event_info(UINT32_MAX));
	assert_int_equal(event_fields(WM_EVENT_SYSCALL), 7);
	assert_int_equal(event_fields(WM_EVENT_EXEC), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(words),
	cmocka_unit_test(text_is_harmless),
	cmocka_unit_test(formats_have_their_fields),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
