// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JaCoCo's report in XML, which build servers and editors read: of each source file the
 * lines, with how many bytecodes and branches of each were missed and covered, and of each
 * class the methods.
 *
 *	<package name="org/example">
 *	 <class name="org/example/A" sourcefilename="A.java">
 *	  <method name="f" desc="(I)I" line="3"><counter .../></method>
 *	 </class>
 *	 <sourcefile name="A.java"><line nr="3" mi="0" ci="2" mb="1" cb="1"/> ...
 *
 * Each part ends with the sums of what is in it. Bytecodes are known by line and not by
 * method, so methods and classes have sums of methods only. JaCoCo's COMPLEXITY, which is
 * of methods and their branches, is left out.
 *
 * A cover has the names of methods as "org.example.A.f(I)I" and the paths of their sources as
 * "org/example/A.java". Packages, classes and files are sorted, so that each is there once.
 * Only methods that an interpreter ran are written, with what was loaded beside them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "export/cover_format.h"

/* What JaCoCo counts, in its order. */
enum { INSTRUCTION, BRANCH, LINE, METHOD, CLASS, SUMS };

struct sums {
	uint64_t missed[SUMS], covered[SUMS];
};

/* A source file, with its lines and its functions. */
struct source {
	const char *path;
	size_t package; /* bytes of the path before the last slash */
	uint32_t number, line, n_lines;
	struct sums
		sums; /* of its classes, when they are written; then of its lines, too */
};

struct writer {
	FILE *out;
	const struct cover *cover;
	struct source *sources; /* [n] */
	size_t n;
	uint32_t *functions; /* [cover->n_functions] by source and name */
};

static void put_text(FILE *out, const char *text, size_t bytes, char from, char to)
{
	for (size_t i = 0; i < bytes; i++) {
		char c = text[i] == from ? to : text[i];

		if (strchr("<>&\"", c) || (unsigned char)c < ' ')
			fprintf(out, "&#%u;", (unsigned char)c < ' ' ? '?' : c);
		else
			putc(c, out);
	}
}

static void put_attribute(FILE *out, const char *name, const char *text, size_t bytes)
{
	fprintf(out, " %s=\"", name);
	put_text(out, text, bytes, 0, 0);
	putc('"', out);
}

/* What is not there has no counter. */
static void put_sums(FILE *out, const struct sums *sums)
{
	static const char *const types[SUMS] = { "INSTRUCTION", "BRANCH", "LINE",
						 "METHOD", "CLASS" };

	for (unsigned i = 0; i < SUMS; i++)
		if (sums->missed[i] || sums->covered[i])
			fprintf(out,
				"<counter type=\"%s\" missed=\"%" PRIu64
				"\" covered=\"%" PRIu64 "\"/>",
				types[i], sums->missed[i], sums->covered[i]);
}

static void add_sums(struct sums *sums, const struct sums *more)
{
	for (unsigned i = 0; i < SUMS; i++) {
		sums->missed[i] += more->missed[i];
		sums->covered[i] += more->covered[i];
	}
}

static void count(struct sums *sums, unsigned what, uint64_t all, uint64_t covered)
{
	sums->missed[what] += all - covered;
	sums->covered[what] += covered;
}

/* ---- order ---------------------------------------------------------------- */

static int by_package(const void *a, const void *b)
{
	const struct source *x = a, *y = b;
	size_t common = x->package < y->package ? x->package : y->package;
	int order = memcmp(x->path, y->path, common);

	if (!order && x->package != y->package)
		order = x->package < y->package ? -1 : 1;
	return order ? order : strcmp(x->path, y->path);
}

static int by_name(const void *a, const void *b, void *cookie)
{
	const struct cover *cover = cookie;
	const struct cover_function *x = &cover->functions[*(const uint32_t *)a];
	const struct cover_function *y = &cover->functions[*(const uint32_t *)b];

	if (x->line.source != y->line.source)
		return x->line.source < y->line.source ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The files that have bytecodes. */
static bool find_sources(struct writer *writer)
{
	const struct cover *cover = writer->cover;

	for (uint32_t i = 0; i < cover->n_lines;) {
		struct source source = { .number = cover->lines[i].line.source,
					 .line = i };
		const char *slash;
		bool bytecodes = false;

		source.path = cover_path(cover, source.number);
		slash = strrchr(source.path, '/');
		source.package = slash ? (size_t)(slash - source.path) : 0;
		for (; i < cover->n_lines && cover->lines[i].line.source == source.number;
		     i++)
			bytecodes |= cover->lines[i].bytecodes.all;
		source.n_lines = i - source.line;
		if (bytecodes && !APPEND(writer->sources, writer->n, source))
			return false;
	}
	if (writer->n)
		qsort(writer->sources, writer->n, sizeof(*writer->sources), by_package);
	return true;
}

static bool find_functions(struct writer *writer)
{
	const struct cover *cover = writer->cover;

	writer->functions = calloc(cover->n_functions + 1ul, sizeof(*writer->functions));
	for (uint32_t i = 0; writer->functions && i < cover->n_functions; i++)
		writer->functions[i] = i;
	if (writer->functions)
		qsort_r(writer->functions, cover->n_functions, sizeof(*writer->functions),
			by_name, (void *)cover);
	return writer->functions;
}

/* ---- parts ---------------------------------------------------------------- */

/* "org.example.A.f(I)I": how long the class's part is, and where the signature begins. */
static size_t class_of(const char *name, size_t *signature)
{
	size_t dot = 0;

	*signature = strcspn(name, "(");
	for (size_t i = 0; i < *signature; i++)
		if (name[i] == '.')
			dot = i;
	return dot;
}

static const char *base_name(const struct source *source)
{
	return source->path + source->package + (source->path[source->package] == '/');
}

static void put_method(const struct writer *writer, const struct cover_function *function,
		       struct sums *class_sums)
{
	struct sums sums = { 0 };
	size_t signature, class = class_of(function->name, &signature);
	const char *name = function->name + class + (class != 0);
	FILE *out = writer->out;

	fputs("<method", out);
	put_attribute(out, "name", name, (size_t)(function->name + signature - name));
	put_attribute(out, "desc", function->name + signature,
		      strlen(function->name + signature));
	fprintf(out, " line=\"%" PRIu32 "\">", function->line.number);
	count(&sums, METHOD, 1, function->insns != 0);
	put_sums(out, &sums);
	fputs("</method>", out);
	add_sums(class_sums, &sums);
}

static void begin_class(const struct writer *writer, const struct source *source,
			const char *name, size_t bytes)
{
	fputs("<class name=\"", writer->out);
	put_text(writer->out, name, bytes, '.', '/');
	putc('"', writer->out);
	put_attribute(writer->out, "sourcefilename", base_name(source),
		      strlen(base_name(source)));
	putc('>', writer->out);
}

/* A class is reached with any of its methods. Its sums begin anew. */
static void end_class(const struct writer *writer, struct source *source,
		      struct sums *sums)
{
	count(sums, CLASS, 1, sums->covered[METHOD] != 0);
	put_sums(writer->out, sums);
	fputs("</class>\n", writer->out);
	add_sums(&source->sums, sums);
	*sums = (struct sums){ 0 };
}

/* The methods of a file, class by class. */
static void put_classes(const struct writer *writer, struct source *source)
{
	const struct cover *cover = writer->cover;
	const char *open = NULL;
	size_t open_bytes = 0, signature;
	struct sums sums = { 0 };

	for (uint32_t i = 0; i < cover->n_functions; i++) {
		const struct cover_function *function =
			&cover->functions[writer->functions[i]];
		const char *name = function->name;
		size_t bytes;

		if (function->line.source != source->number)
			continue;
		bytes = class_of(name, &signature);
		if (!open || bytes != open_bytes || memcmp(open, name, bytes)) {
			if (open)
				end_class(writer, source, &sums);
			begin_class(writer, source, name, bytes);
		}
		open = name;
		open_bytes = bytes;
		put_method(writer, function, &sums);
	}
	if (open)
		end_class(writer, source, &sums);
}

static void put_line(const struct writer *writer, const struct cover_line *line,
		     struct sums *sums)
{
	const struct cover_bytecodes *has = &line->bytecodes;

	fprintf(writer->out,
		"<line nr=\"%" PRIu32 "\" mi=\"%" PRIu32 "\" ci=\"%" PRIu32
		"\" mb=\"%" PRIu32 "\" cb=\"%" PRIu32 "\"/>\n",
		line->line.number, has->all - has->reached, has->reached,
		has->ways - has->ways_reached, has->ways_reached);
	count(sums, INSTRUCTION, has->all, has->reached);
	count(sums, BRANCH, has->ways, has->ways_reached);
	count(sums, LINE, 1, has->reached != 0);
}

static void put_source(const struct writer *writer, struct source *source)
{
	fputs("<sourcefile", writer->out);
	put_attribute(writer->out, "name", base_name(source), strlen(base_name(source)));
	fputs(">\n", writer->out);
	for (uint32_t i = 0; i < source->n_lines; i++) {
		const struct cover_line *line = &writer->cover->lines[source->line + i];

		if (line->bytecodes.all)
			put_line(writer, line, &source->sums);
	}
	put_sums(writer->out, &source->sums);
	fputs("</sourcefile>\n", writer->out);
}

/* Adds its sums to *all. */
static void put_package(const struct writer *writer, size_t from, size_t to,
			struct sums *all)
{
	struct source *sources = writer->sources;
	struct sums sums = { 0 };

	fputs("<package", writer->out);
	put_attribute(writer->out, "name", sources[from].path, sources[from].package);
	fputs(">\n", writer->out);
	for (size_t i = from; i < to; i++)
		put_classes(writer, &sources[i]);
	for (size_t i = from; i < to; i++) {
		put_source(writer, &sources[i]);
		add_sums(&sums, &sources[i].sums);
	}
	put_sums(writer->out, &sums);
	fputs("</package>\n", writer->out);
	add_sums(all, &sums);
}

static int write_jacoco(FILE *out, const struct cover *cover, struct wm_error *err)
{
	struct writer writer = { .out = out, .cover = cover };
	struct sums sums = { 0 };
	bool good = find_sources(&writer) && find_functions(&writer);

	if (good)
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<!DOCTYPE report PUBLIC \"-//JACOCO//DTD Report 1.1//EN\" "
		      "\"report.dtd\">\n<report name=\"waymark\">\n",
		      out);
	for (size_t i = 0, end; good && i < writer.n; i = end) {
		const struct source *first = &writer.sources[i];

		for (end = i + 1; end < writer.n; end++)
			if (writer.sources[end].package != first->package ||
			    memcmp(writer.sources[end].path, first->path, first->package))
				break;
		put_package(&writer, i, end, &sums);
	}
	if (good) {
		put_sums(out, &sums);
		fputs("</report>\n", out);
	}
	free(writer.sources);
	free(writer.functions);
	return good ? 0 : wm_fail_nomem(err, "coverage");
}

const struct cover_format cover_jacoco = {
	.format = { "jacoco", FORMAT_COVER, "xml",
		    "JaCoCo's report in XML: lines and branches of Java",
		    "a recording with --guide" },
	.write = write_jacoco,
	.of_methods = true,
};
