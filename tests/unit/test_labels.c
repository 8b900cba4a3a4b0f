// SPDX-License-Identifier: GPL-2.0-or-later
/* Names in a report: one number each, by name and file; long ones cut between characters. */
#include "report/labels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What labels_put() writes; the caller's to free(). */
static char *put(const struct labels *labels)
{
	struct json json;
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	json_init(&json, out, false);
	json_object(&json, NULL);
	labels_put(labels, &json);
	json_close(&json);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void a_name_in_a_file_is_one(void **state)
{
	struct labels labels = LABELS_INIT;
	char *text;

	(void)state;
	assert_int_equal(labels_add(&labels, "main", "/bin/a"), 1);
	assert_int_equal(labels_add(&labels, "main", "/bin/b"), 2);
	assert_int_equal(labels_add(&labels, "main", NULL), 3);
	assert_int_equal(labels_add(&labels, "main", "/bin/a"), 1);
	assert_int_equal(labels_add(&labels, "mai", "/bin/a"), 4);
	text = put(&labels);
	assert_string_equal(text,
			    "{\"modules\":[\"/bin/a\",\"/bin/b\"],\"names\":"
			    "[[\"main\",1],[\"main\",2],[\"main\",0],[\"mai\",1]]}\n");
	free(text);
	labels_fini(&labels);
}

/* LABEL_BYTES_MAX bytes stay as they are; a longer name loses its middle, and its end remains. */
static void a_long_name_is_cut(void **state)
{
	struct labels labels = LABELS_INIT;
	char name[LABEL_BYTES_MAX + 3], whole[LABEL_BYTES_MAX + 16], *text;
	const char *at, *end;

	(void)state;
	memset(name, 'x', sizeof(name));
	name[LABEL_BYTES_MAX] = '\0';
	assert_int_equal(labels_add(&labels, name, NULL), 1);
	snprintf(whole, sizeof(whole), "[\"%s\",0,", name);
	memcpy(name + LABEL_BYTES_MAX - 1, "\xc3\xa9y", 4); /* é */
	assert_int_equal(labels_add(&labels, name, NULL), 2);
	text = put(&labels);
	assert_non_null(strstr(text, whole));
	at = strstr(text, "],[\"");
	assert_non_null(at);
	at += strlen("],[\"");
	end = strstr(at, "x\xc3\xa9y\",0,");
	assert_non_null(end);
	assert_in_range(end - at, LABEL_COLUMNS, LABEL_BYTES_MAX);
	assert_null(strstr(text, "\\ufffd"));
	free(text);
	labels_fini(&labels);
}

/* The character that crosses the end goes. */
static void a_text_is_cut_between_characters(void **state)
{
	static const char text[] = "12345678\xc3\xa9y"; /* é */
	char room[16];

	(void)state;
	assert_string_equal(label_cut(room, text, 9), "12345678...");
	assert_string_equal(label_cut(room, text, 10), "12345678\xc3\xa9...");
	assert_ptr_equal(label_cut(room, text, 11), text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_name_in_a_file_is_one),
	cmocka_unit_test(a_long_name_is_cut),
	cmocka_unit_test(a_text_is_cut_between_characters),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
