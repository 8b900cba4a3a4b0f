// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark bytecodes: the bytecodes that a thread of a managed program executed, in order. A
 * recording has them where `record --guide` was in use.
 *
 * A line's number is that of the first instruction that the interpreter executed for it.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/methods/bytecode_text.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/habits.h"
#include "cli/list/listed_thread.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/values.h"
#include "cli/watch.h"
#include "format/note.h"
#include "managed/gap_ways.h"
#include "managed/methods.h"
#include "managed/walk.h"
#include "out/text.h"
#include "query/source.h"
#include "query/threads.h"

static const char doc[] =
	"List the bytecodes that a thread executed, in order, from FILE (waymark.wmk), as "
	"recorded with --guide."
	"\vThe N of --from and --to counts instructions.";

enum { OPCODE_TEXT = 32, OPERANDS_TEXT = 512 };
enum { OPTION_COUNT = 'n', OPTION_FORMAT = 256, OPTION_FUNCTION, OPTION_OPERANDS };

static const struct argp_option options[] = {
	{ "count", OPTION_COUNT, "M", 0, "Print at most M of them (all)", 0 },
	{ "function", OPTION_FUNCTION, "NAME", 0,
	  "Print those of methods called NAME, which may contain * and ?", 0 },
	{ "operands", OPTION_OPERANDS, NULL, 0,
	  "Print what they operate on, too, by name", 0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, "text or csv (text)", 0 },
	{ 0 },
};

static const char *const formats[] = { "text", "csv", NULL };

struct arguments {
	struct scope scope;
	uint64_t count;
	const char *function; /* NULL: of all methods */
	const struct units *units;
	bool *wanted; /* [units->n]: of that name; NULL: all */
	bool operands;
	struct bytecode_names names; /* with `operands` */
	bool csv;
	bool any; /* a bytecode was printed */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->scope;
		return 0;
	case OPTION_COUNT:
		args->count = amount_or_end(arg, "--count", 0, UINT64_MAX, state);
		return 0;
	case OPTION_FUNCTION:
		args->function = arg;
		return 0;
	case OPTION_OPERANDS:
		args->operands = true;
		return 0;
	case OPTION_FORMAT:
		args->csv = choice_or_end(arg, "format", formats, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- lines --------------------------------------------------------------- */

/* "iadd"; of a language that is not known here its number. */
static void opcode_text(const struct walk_step *step, char text[OPCODE_TEXT])
{
	const char *name = unit_opcode(step->unit, step->offset);

	if (name)
		snprintf(text, OPCODE_TEXT, "%s", name);
	else
		snprintf(text, OPCODE_TEXT, "%u", step->unit->code[step->offset]);
}

/* " fib + NULL", behind the opcode; "" if they are not asked for. */
static const char *operands_of(const struct arguments *args, const struct walk_step *step,
			       const char *opcode, char text[OPERANDS_TEXT])
{
	*text = '\0';
	if (!args->operands)
		return text;
	bytecode_text(&args->names, step->unit, step->offset, text, OPERANDS_TEXT);
	return text + strlen(opcode);
}

static void print_csv(const struct arguments *args, const struct walk_step *step,
		      const char *opcode, uint32_t line)
{
	char text[OPERANDS_TEXT];
	const char *operands = operands_of(args, step, opcode, text);

	printf("%" PRIu64 ",", step->insn);
	text_csv(stdout, step->unit->name);
	putchar(',');
	text_csv(stdout, step->unit->detail);
	printf(",%" PRIu32 ",%s,", step->offset, opcode);
	text_csv(stdout, step->unit->file);
	printf(",%" PRIu32 ",%s", line, bytecode_kind(step).note);
	if (args->operands) {
		putchar(',');
		text_csv(stdout, operands + (*operands == ' '));
	}
	putchar('\n');
}

static void print_text(const struct arguments *args, const struct walk_step *step,
		       const char *opcode, uint32_t line)
{
	char text[OPERANDS_TEXT];
	const char *operands = operands_of(args, step, opcode, text);
	int left = (args->operands ? 36 : 16) - (int)(strlen(opcode) + strlen(operands));

	printf("%12" PRIu64 "  %5" PRIu32 "%c %s", step->insn, step->offset,
	       bytecode_kind(step).mark, opcode);
	text_line(stdout, operands);
	printf("%*s", left > 0 ? left + 1 : 1 + args->operands, "");
	text_line(stdout, step->unit->name);
	text_line(stdout, step->unit->detail);
	if (line) {
		fputs("  ", stdout);
		text_line(stdout, step->unit->file);
		printf(":%" PRIu32, line);
	}
	putchar('\n');
}

/* Where bytecodes are missing: what the thread executed then is not known. */
static void print_gap(const struct arguments *args, const struct walk_step *step)
{
	const char *why = gap_ways_text(step);

	if (!why)
		return;
	if (args->csv)
		printf("%" PRIu64 ",,,,,,,gap: %s%s\n", step->insn, why,
		       args->operands ? "," : "");
	else
		printf("# gap: %s\n", why);
}

/* Whether a bytecode begins that is asked for, wherever. */
static bool is_wanted(const struct arguments *args, const struct walk_step *step)
{
	return step->unit && walk_step_is_news(step) &&
	       (!args->wanted || args->wanted[step->unit - args->units->all]);
}

static int take(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct arguments *args = cookie;
	char opcode[OPCODE_TEXT];

	(void)err;
	if (step->insn >= args->scope.to || !args->count || ferror(stdout))
		return WM_END;
	if (step->insn >= args->scope.from)
		print_gap(args, step);
	if (step->insn < args->scope.from || !is_wanted(args, step))
		return 0;
	args->count--;
	args->any = true;
	opcode_text(step, opcode);
	(args->csv ? print_csv : print_text)(args, step, opcode,
					     unit_line(step->unit, step->offset));
	return 0;
}

/* ---- which thread -------------------------------------------------------- */

struct seeking {
	const struct arguments *args;
	bool found;
};

static int seek(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct seeking *seeking = cookie;

	(void)err;
	seeking->found = is_wanted(seeking->args, step);
	return seeking->found ? WM_END : 0;
}

/* Whether it began one of the bytecodes that are asked for. */
static bool has_any(const struct arguments *args, const struct wm_trace *trace,
		    unsigned thread)
{
	struct seeking seeking = { .args = args };
	struct wm_error unused;

	walk_stream(args->units, trace, thread, false, seek, &seeking, &unused);
	return seeking.found;
}

/* A thread that nobody named is the first that has any: Java's launcher, thread 0, has none. */
static void take_thread(const struct arguments *args, const struct wm_trace *trace,
			struct threads *threads)
{
	unsigned i = 0;

	if (threads->found < 2)
		return;
	while (i < threads->found && !has_any(args, trace, threads->indexes[i]))
		i++;
	if (i < threads->found)
		threads_take(threads, i);
}

/* Of a thread that somebody named, and that has none: which other one may be meant. */
static const char *another(char text[64], const struct arguments *args,
			   const struct wm_trace *trace, const struct threads *threads)
{
	struct wm_summary summary;
	unsigned i = 0;

	*text = 0;
	wm_trace_summary(trace, &summary);
	if (summary.streams < 2 || threads->found > 1)
		return text;
	while (i < summary.streams && !has_any(args, trace, i))
		i++;
	if (i < summary.streams && i != threads->indexes[0])
		snprintf(text, 64, "; thread %u did: --thread %u", i, i);
	return text;
}

/*
 * An empty list is an answer that looks like a mistake. A thread of Java's launcher has no
 * bytecodes, and what a flight recorder kept may all be behind the last one.
 */
static void remark_none(const struct arguments *args, const struct wm_trace *trace,
			const struct threads *threads)
{
	bool is_bounded = scope_is_bounded(&args->scope);
	const char *last = wm_trace_meta(trace, "last");
	char other[64], what[64], of[100] = "";

	/* The one that was taken has none: no other has. */
	if (threads->found > 1 && !is_bounded)
		snprintf(what, sizeof(what), "no thread began a bytecode");
	else
		snprintf(what, sizeof(what), "thread %u began no bytecode",
			 threads->indexes[0]);
	if (args->function)
		snprintf(of, sizeof(of), " of \"%.80s\"", args->function);
	if (!is_bounded && last)
		remark("%s%s in what was kept, the last %s of the run: a larger --last "
		       "keeps more",
		       what, of, last);
	else
		remark("%s%s%s%s", what, of, is_bounded ? " from --from to --to" : "",
		       another(other, args, trace, threads));
}

/* ---- the command --------------------------------------------------------- */

/* The methods of that name, of which there must be one that the runtime told of. */
static int choose(struct arguments *args, const struct units *units, struct wm_error *err)
{
	char near[METHODS_HINT];
	bool any = false;

	args->units = units;
	if (!args->function)
		return 0;
	args->wanted = calloc(units->n, sizeof(*args->wanted));
	if (!args->wanted)
		return wm_fail_nomem(err, "methods");
	for (size_t i = 0; i < units->n; i++) {
		args->wanted[i] = method_fits(&units->all[i], args->function);
		any |= args->wanted[i];
	}
	return any ? 0 :
		     wm_fail(err, WM_E_RANGE, 0, "no method is called \"%.40s\"%s",
			     args->function, methods_hint(near, units, args->function));
}

static int list(struct arguments *args, const struct source *source, struct wm_error *err)
{
	struct threads threads = { .n = 0 };
	struct units units;
	int ret = units_read(&units, source->trace, err);

	if (!ret && !units.n)
		ret = methods_missing(source->trace, "the trace ", err);
	if (!ret)
		ret = choose(args, &units, err);
	if (!ret && args->operands)
		ret = bytecode_names_read(&args->names, &units, err);
	if (!ret)
		ret = threads_find_one(&threads, source->trace, &args->scope, err);
	if (!ret)
		take_thread(args, source->trace, &threads);
	if (!ret)
		ret = scope_find(&args->scope, source, threads.indexes, 1, true, err);
	if (!ret) {
		remark_listed_thread(threads.found, threads.indexes[0], "");
		pager_start();
		if (args->csv)
			printf("insn,unit,detail,offset,opcode,file,line,note%s\n",
			       args->operands ? ",operands" : "");
		ret = walk_between(&units, source->trace, threads.indexes[0], true,
				   args->scope.from, args->scope.to, take, args, err);
	}
	if (!ret && !args->any && args->count)
		remark_none(args, source->trace, &threads);
	threads_release(&threads);
	free(args->wanted);
	bytecode_names_fini(&args->names);
	units_fini(&units);
	return ret;
}

int cmd_bytecodes(int argc, char **argv)
{
	static const struct argp_child children[] = { { &scope_argp, 0, NULL, 0 },
						      { 0 } };
	static const struct argp parser = { options,  parse, "[FILE]", doc,
					    children, NULL,  NULL };
	struct arguments args = { .scope = SCOPE_INIT, .count = UINT64_MAX };
	struct source source;
	struct wm_error err;
	int ret;

	command_parse(&parser, argc, argv, 0, &args);
	ret = source_open(&source, args.scope.file, &watch_warnings, &err);
	if (ret)
		return fail_on(args.scope.file, &err);
	ret = list(&args, &source, &err);
	source_close(&source);
	return ret < 0 ? fail_on(args.scope.file, &err) : EXIT_OK;
}
