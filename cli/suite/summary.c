// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The two files that `suite run` leaves beside the folders of cases. JUnit has no standard,
 * but two schemas, Ant's and Jenkins's, and readers of its own in GitLab and GitHub's actions.
 * What is here fits both schemas: cases with a class, which is the suite, and a time in
 * seconds; <failure> for what the program did, <error> for what kept it from running.
 */
#include "cli/suite/summary.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "out/json.h"
#include "out/xml.h"

void summary_write_json(FILE *out, const struct suite *suite,
			const struct result *results, const char *folder)
{
	struct json json;

	(void)folder;
	json_init(&json, out, true);
	json_object(&json, NULL);
	json_string(&json, "suite", suite->name);
	json_array(&json, "cases");
	for (size_t i = 0; i < suite->n; i++) {
		const struct result *result = &results[i];

		json_object(&json, NULL);
		json_string(&json, "name", suite->cases[i].name);
		json_string(&json, "status", suite_statuses[result->status]);
		json_string(&json, "reason", *result->reason ? result->reason : NULL);
		json_uint(&json, "exit", result->exit_status);
		json_uint(&json, "insns", result->insns);
		json_uint(&json, "blocks", result->blocks);
		json_uint(&json, "trace_bytes", result->trace_bytes);
		json_real(&json, "seconds", (double)result->milliseconds / 1000, 3);
		json_uint(&json, "runs", result->runs);
		json_uint(&json, "fewest_insns", result->fewest);
		json_uint(&json, "most_insns", result->most);
		json_close(&json);
	}
	json_close(&json);
	json_close(&json);
}

/* The last lines of a file: what a program says before it fails. */
static void put_end(FILE *out, const char *path)
{
	enum { BYTES = 4096 };
	char text[BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;

	if (fd >= 0) {
		/* A shorter file is read from its beginning. */
		lseek(fd, -(off_t)BYTES, SEEK_END);
		n = read(fd, text, sizeof(text));
		close(fd);
	}
	if (n > 0)
		xml_put(out, text, (size_t)n);
}

static void put_seconds(FILE *out, uint64_t milliseconds)
{
	fprintf(out, " time=\"%" PRIu64 ".%03u\"", milliseconds / 1000,
		(unsigned)(milliseconds % 1000));
}

static bool is_failure(const struct result *result)
{
	return result->status == SUITE_FAILED || result->status == SUITE_LIMIT;
}

static void put_case(FILE *out, const struct suite *suite, const char *name,
		     const struct result *result, const char *folder)
{
	const char *element = is_failure(result) ? "failure" : "error";
	char path[PATH_MAX];

	fputs("  <testcase classname=\"", out);
	xml_text(out, suite->name);
	fputs("\" name=\"", out);
	xml_text(out, name);
	fputc('"', out);
	put_seconds(out, result->milliseconds);
	if (result->status == SUITE_PASSED) {
		fputs("/>\n", out);
		return;
	}
	fprintf(out, ">\n    <%s type=\"%s\" message=\"", element,
		suite_statuses[result->status]);
	xml_text(out, *result->reason ? result->reason : "there is no result");
	fputs("\">", out);
	snprintf(path, sizeof(path), "%s/%s/stderr", folder, name);
	put_end(out, path);
	fprintf(out, "</%s>\n  </testcase>\n", element);
}

/* What the whole of it has to say, by the strictest of the schemas. */
static void put_suite(FILE *out, const struct suite *suite, const struct result *results)
{
	size_t failures = 0, errors = 0;
	uint64_t milliseconds = 0;
	char host[HOST_NAME_MAX + 1] = "localhost", when[32] = "";
	time_t now = time(NULL);
	struct tm utc;

	for (size_t i = 0; i < suite->n; i++) {
		failures += is_failure(&results[i]);
		errors += !is_failure(&results[i]) && results[i].status != SUITE_PASSED;
		milliseconds += results[i].milliseconds;
	}
	gethostname(host, sizeof(host) - 1);
	if (gmtime_r(&now, &utc))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &utc);
	fputs("<testsuite name=\"", out);
	xml_text(out, suite->name);
	fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\"",
		suite->n, failures, errors);
	put_seconds(out, milliseconds);
	fprintf(out, " timestamp=\"%s\" hostname=\"", when);
	xml_text(out, host);
	fputs("\">\n  <properties/>\n", out);
}

void summary_write_junit(FILE *out, const struct suite *suite,
			 const struct result *results, const char *folder)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	put_suite(out, suite, results);
	for (size_t i = 0; i < suite->n; i++)
		put_case(out, suite, suite->cases[i].name, &results[i], folder);
	fputs("  <system-out/>\n  <system-err/>\n</testsuite>\n", out);
}
