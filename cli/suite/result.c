// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results are TOML as suites are: one parser reads both, and so does everybody else's. The
 * checksum is a text, for TOML's numbers have a sign.
 */
#include "cli/suite/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/toml.h"
#include "cli/fresh_file.h"
#include "cli/suite/suite.h"
#include "out/json.h"

enum { RESULT_BYTES_MAX = 65536 };

const char *const suite_statuses[] = { "passed", "failed", "limit", "error", "missing" };

/* The numbers, by their keys. */
#define NUMBERS(result)                                                             \
	{ "exit", &(result)->exit_status }, { "insns", &(result)->insns },          \
		{ "blocks", &(result)->blocks },                                    \
		{ "trace-bytes", &(result)->trace_bytes },                          \
		{ "milliseconds", &(result)->milliseconds },                        \
		{ "runs", &(result)->runs }, { "fewest-insns", &(result)->fewest }, \
		{ "most-insns", &(result)->most },

int result_write(const struct result *result, const char *path, struct wm_error *err)
{
	const struct {
		const char *key;
		const uint64_t *value;
	} numbers[] = { NUMBERS(result) };
	struct fresh_file file;
	int ret = fresh_file_open(&file, path, err);

	if (ret)
		return ret;
	fprintf(file.out, "checksum = \"%016" PRIx64 "\"\nstatus = \"%s\"\n",
		result->checksum, suite_statuses[result->status]);
	/* JSON's escapes are TOML's. */
	fputs("reason = ", file.out);
	json_quote(file.out, result->reason);
	fputc('\n', file.out);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		fprintf(file.out, "%s = %" PRIu64 "\n", numbers[i].key,
			*numbers[i].value);
	return fresh_file_keep(&file, err);
}

static enum suite_status status_of(const char *word)
{
	unsigned i = 0;

	while (i < SUITE_MISSING && strcmp(suite_statuses[i], word) != 0)
		i++;
	return (enum suite_status)i;
}

static const char *text_of(const struct toml *table, const char *key)
{
	const struct toml *value = toml_find(table, key);

	return value && value->type == TOML_TEXT ? value->text : "";
}

static void fill(struct result *result, const struct toml *table)
{
	const struct {
		const char *key;
		uint64_t *value;
	} numbers[] = { NUMBERS(result) };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		const struct toml *value = toml_find(table, numbers[i].key);

		if (value && value->type == TOML_NUMBER && value->number >= 0)
			*numbers[i].value = (uint64_t)value->number;
	}
	result->status = status_of(text_of(table, "status"));
	result->checksum = strtoull(text_of(table, "checksum"), NULL, 16);
	snprintf(result->reason, sizeof(result->reason), "%s", text_of(table, "reason"));
}

void result_read(struct result *result, const char *path)
{
	struct toml table;
	size_t n;
	char *text = suite_slurp(path, RESULT_BYTES_MAX, &n);

	*result = (struct result){ .status = SUITE_MISSING };
	if (!text)
		return;
	if (!toml_parse(&table, text, n, NULL))
		fill(result, &table);
	toml_fini(&table);
	free(text);
}
