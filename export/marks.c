// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of markers, in three formats. Ordinals are printed as --from and --to take them.
 * Text indents a marker by the regions around it, as far as there is room:
 *
 *	thread         insn       seconds  marker                 since_insns ...
 *	     0         1204      0.000310  begin 1                      1,204
 *	     0         1900      0.000402   point 7                       696
 *	     0         2410      0.000500  end 1                          510
 *
 * A begin without an end is known only at the end of the thread, so it is printed there
 * once more, as "no end" or "unended".
 */
#include "export/marks_format.h"

#include <inttypes.h>

#include "out/number.h"

/* A name is indented by 8 blanks at most, which leaves 12 for "begin" and the id. */
enum { NS = 1000000000, NAME_WIDTH = 20, NAME_INDENT_MAX = 8 };

static const char *const words[] = {
	[WM_MARKER_POINT] = "point",
	[WM_MARKER_BEGIN] = "begin",
	[WM_MARKER_END] = "end",
};

static const char unended_word[] = "unended";

/*
 * Nanoseconds since the recording began. A time before that occurs only in a damaged file
 * and counts as 0.
 */
static uint64_t since_begin(const struct marks_writer *writer, const struct mark *mark)
{
	return mark->ns > writer->begin_ns ? mark->ns - writer->begin_ns : 0;
}

/* ---- text ---------------------------------------------------------------- */

static void begin_text(struct marks_writer *writer)
{
	fprintf(writer->out, "thread         insn       seconds  %-*s %13s %13s %12s\n",
		NAME_WIDTH, "marker", "since_insns", "region_insns", "begin");
}

/* What every line begins with: thread, ordinal, time, the marker. */
static void put_place(struct marks_writer *writer, const struct mark *mark)
{
	uint64_t ns = since_begin(writer, mark);
	uint32_t depth = mark->depth < NAME_INDENT_MAX ? mark->depth : NAME_INDENT_MAX;
	char name[NAME_WIDTH + 1];

	/* Deeper regions keep the last indentation, so columns stay aligned. */
	snprintf(name, sizeof(name), "%*s%s %" PRIu32, (int)depth, "", words[mark->what],
		 mark->id);
	fprintf(writer->out, "%6u %12" PRIu64 " %6" PRIu64 ".%06" PRIu64 "  %-*s",
		mark->stream, mark->insn, ns / NS, ns % NS / 1000, NAME_WIDTH, name);
}

static void put_text(struct marks_writer *writer, const struct mark *mark)
{
	char since[NUMBER_TEXT], region[NUMBER_TEXT];

	put_place(writer, mark);
	fprintf(writer->out, " %13s", number_grouped(since, mark->since_insns));
	/*
	 * An end with its begin has the region's length and its first ordinal, for
	 * --from.
	 */
	if (mark->paired)
		fprintf(writer->out, " %13s %12" PRIu64,
			number_grouped(region, mark->insn - mark->begin), mark->begin);
	else if (mark->what == WM_MARKER_END)
		fprintf(writer->out, " %13s", "no begin");
	putc('\n', writer->out);
}

static void put_unended_text(struct marks_writer *writer, const struct mark *mark)
{
	put_place(writer, mark);
	fprintf(writer->out, " %13s %13s\n", "", "no end");
}

/* Neither text nor CSV has anything to close. */
static void end_text(struct marks_writer *writer)
{
	(void)writer;
}

const struct marks_format marks_text = {
	.format = { "text", FORMAT_MARKS, "txt", "for people" },
	.begin = begin_text,
	.mark = put_text,
	.unended = put_unended_text,
	.end = end_text,
};

/* ---- CSV ----------------------------------------------------------------- */

static void begin_csv(struct marks_writer *writer)
{
	fputs("thread,insn,ns,what,id,depth,since_insns,begin,region_insns\n",
	      writer->out);
}

/* The columns that a marker and one without an end share. */
static void put_csv_start(struct marks_writer *writer, const struct mark *mark,
			  const char *word)
{
	fprintf(writer->out, "%u,%" PRIu64 ",%" PRIu64 ",%s,%" PRIu32 ",%" PRIu32 ",",
		mark->stream, mark->insn, since_begin(writer, mark), word, mark->id,
		mark->depth);
}

static void put_csv(struct marks_writer *writer, const struct mark *mark)
{
	put_csv_start(writer, mark, words[mark->what]);
	fprintf(writer->out, "%" PRIu64, mark->since_insns);
	/* An end without its begin leaves both columns empty. */
	if (mark->paired)
		fprintf(writer->out, ",%" PRIu64 ",%" PRIu64 "\n", mark->begin,
			mark->insn - mark->begin);
	else
		fputs(",,\n", writer->out);
}

/*
 * Its last three columns are empty: the distance to the marker before it is printed with
 * the begin itself.
 */
static void put_unended_csv(struct marks_writer *writer, const struct mark *mark)
{
	put_csv_start(writer, mark, unended_word);
	fputs(",,\n", writer->out);
}

const struct marks_format marks_csv = {
	.format = { "csv", FORMAT_MARKS, "csv", "a line of names, then a line each" },
	.begin = begin_csv,
	.mark = put_csv,
	.unended = put_unended_csv,
	.end = end_text,
};

/* ---- JSON ---------------------------------------------------------------- */

static void begin_json(struct marks_writer *writer)
{
	/* Indented, one member a line. */
	json_init(&writer->json, writer->out, true);
	json_array(&writer->json, NULL);
}

static void put_json_start(struct marks_writer *writer, const struct mark *mark,
			   const char *word)
{
	struct json *json = &writer->json;

	json_object(json, NULL);
	json_uint(json, "thread", mark->stream);
	json_uint(json, "insn", mark->insn);
	json_uint(json, "ns", since_begin(writer, mark));
	json_string(json, "what", word);
	json_uint(json, "id", mark->id);
	json_uint(json, "depth", mark->depth);
}

static void put_json(struct marks_writer *writer, const struct mark *mark)
{
	struct json *json = &writer->json;

	put_json_start(writer, mark, words[mark->what]);
	json_uint(json, "since_insns", mark->since_insns);
	/*
	 * An end always has both members, null without a begin. Points and begins never
	 * have them.
	 */
	if (mark->paired) {
		json_uint(json, "begin", mark->begin);
		json_uint(json, "region_insns", mark->insn - mark->begin);
	} else if (mark->what == WM_MARKER_END) {
		json_null(json, "begin");
		json_null(json, "region_insns");
	}
	json_close(json);
}

/* Without the keys of a region: it has none. */
static void put_unended_json(struct marks_writer *writer, const struct mark *mark)
{
	put_json_start(writer, mark, unended_word);
	json_close(&writer->json);
}

static void end_json(struct marks_writer *writer)
{
	json_close(&writer->json);
}

const struct marks_format marks_json = {
	.format = { "json", FORMAT_MARKS, "json", "an array of objects" },
	.begin = begin_json,
	.mark = put_json,
	.unended = put_unended_json,
	.end = end_json,
};
