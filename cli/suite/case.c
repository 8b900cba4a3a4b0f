// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A case runs in a folder beside the one that it will have, OUT/.NAME.HOST.PID, which is renamed
 * when everything is in it. So a job that is killed leaves no half result, and two jobs of one
 * case do not meet: the last one to end counts.
 *
 * It is recorded by this same command, as a child: `waymark record`, which becomes the
 * program. Runs after the first one are only counted; their traces are not kept.
 */
#include "cli/suite/case.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/fresh_file.h"
#include "cli/suite/folder.h"
#include "cli/suite/limits.h"
#include "out/number.h"
#include "query/question.h"

/* A case at work. */
struct work {
	const struct suite *suite;
	const struct suite_case *of;
	struct case_folder folder; /* where it runs for now */
	char trace[PATH_MAX + 16];
	struct result *result;
};

static void path_in(const struct work *work, const char *name, char path[PATH_MAX + 16])
{
	snprintf(path, PATH_MAX + 16, "%s/%s", work->folder.path, name);
}

/* The first thing that is wrong is what the result says. */
__attribute__((format(printf, 3, 4))) static void
judge(struct result *result, enum suite_status status, const char *format, ...)
{
	va_list list;

	if (result->status != SUITE_PASSED)
		return;
	result->status = status;
	va_start(list, format);
	vsnprintf(result->reason, sizeof(result->reason), format, list);
	va_end(list);
}

/* ---- the program --------------------------------------------------------- */

/* QEMU's -E takes a comma for the end of a value, so such a variable is inherited. */
static bool has_comma(const char *variable)
{
	return strchr(variable, ',');
}

/* The command line of `record`, NULL-terminated; the caller frees the array. */
static char **command_line(const struct work *work)
{
	const struct suite_case *of = work->of;
	size_t n = 0, i;
	char **words;

	for (i = 0; of->command[i]; i++)
		n++;
	for (i = 0; of->options[i]; i++)
		n++;
	for (i = 0; of->environment[i]; i++)
		n += 2;
	words = calloc(n + 10, sizeof(*words));
	n = 0;
	if (!words)
		return NULL;
	words[n++] = (char *)"waymark";
	words[n++] = (char *)"record";
	words[n++] = (char *)"--quiet";
	if (of->sysroot) {
		words[n++] = (char *)"-L";
		words[n++] = (char *)(uintptr_t)of->sysroot;
	}
	for (i = 0; of->environment[i]; i++)
		if (!has_comma(of->environment[i])) {
			words[n++] = (char *)"-E";
			words[n++] = of->environment[i];
		}
	for (i = 0; of->options[i]; i++)
		words[n++] = of->options[i];
	/* The last one counts, whatever the options say. */
	words[n++] = (char *)"-o";
	words[n++] = (char *)(uintptr_t)work->trace;
	words[n++] = (char *)"--";
	for (i = 0; of->command[i]; i++)
		words[n++] = of->command[i];
	return words;
}

/* In the child. Opens `name` as descriptor `fd`; false: it is not possible. */
static bool redirect(int fd, const char *name, int flags)
{
	int opened = open(name, flags | O_CLOEXEC, 0666);

	return opened >= 0 && dup2(opened, fd) == fd;
}

/*
 * In the child. The program gets variables of the suite, and few others: what a job's starter
 * adds to its environment would be counted, for programs walk through all of it.
 */
static void set_environment(char *const *own)
{
	static const char *const kept[] = { "PATH=", "HOME=", "WAYMARK_", NULL };
	char **to = environ;

	for (char **from = environ; *from; from++)
		for (unsigned i = 0; kept[i]; i++)
			if (!strncmp(*from, kept[i], strlen(kept[i])))
				*to++ = *from;
	*to = NULL;
	for (; *own; own++)
		if (has_comma(*own))
			putenv(*own);
}

/* In the child. Paths of the case are relative to its folder. */
static void become(const struct work *work, char **words)
{
	const struct suite_case *of = work->of;
	const char *input = of->input ? of->input : "/dev/null";
	char out[PATH_MAX + 16], errors[PATH_MAX + 16];
	const char *wrong = NULL;

	path_in(work, "stdout", out);
	path_in(work, "stderr", errors);
	setpgid(0, 0);
	set_environment(of->environment);
	if (!redirect(2, errors, O_WRONLY | O_CREAT | O_TRUNC) ||
	    !redirect(1, out, O_WRONLY | O_CREAT | O_TRUNC))
		_exit(127);
	if (chdir(work->suite->folder) || (of->directory && chdir(of->directory)))
		wrong = of->directory ? of->directory : work->suite->folder;
	else if (!redirect(0, input, O_RDONLY))
		wrong = input;
	if (wrong)
		dprintf(2, "waymark: cannot open %s: %m\n", wrong);
	else
		execv("/proc/self/exe", words);
	_exit(127);
}

pid_t case_fork(void)
{
	pid_t parent = getpid(), child;

	fflush(NULL);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			raise(SIGTERM);
	}
	return child;
}

static int run_program(const struct work *work, struct limited *limited,
		       struct wm_error *err)
{
	char **words = command_line(work);
	pid_t child;

	if (!words)
		return wm_fail_nomem(err, "a command line");
	/* Whoever ends this job ends what it runs. */
	child = case_fork();
	if (!child)
		become(work, words);
	free(words);
	if (child < 0)
		return wm_fail_errno(err, "cannot start a process");
	/* In both processes, for whichever runs first. */
	setpgid(child, child);
	*limited = (struct limited){
		.group = child,
		.limits = &work->of->limits,
		.trace = work->trace,
	};
	return limited_wait(limited, err);
}

/* ---- the trace ----------------------------------------------------------- */

static int begin(struct table_sink *sink, const struct table_column *columns, unsigned n,
		 struct wm_error *err)
{
	(void)sink, (void)columns, (void)n, (void)err;
	return 0;
}

static int end(struct table_sink *sink, struct wm_error *err)
{
	(void)sink, (void)err;
	return 0;
}

struct function_sink {
	struct table_sink sink; /* first */
	FILE *out;
};

/* Names end at control characters: a tab or a line's end is no part of one. */
static void put_name(FILE *out, const struct table_cell *cell)
{
	for (const char *at = cell->filled ? cell->text : ""; *at; at++)
		fputc((unsigned char)*at < ' ' ? '?' : *at, out);
}

static int put_function(struct table_sink *sink, const struct table_cell *cells,
			struct wm_error *err)
{
	FILE *out = ((struct function_sink *)sink)->out;

	(void)err;
	fprintf(out, "%llu\t%llu\t", (unsigned long long)cells[0].count,
		cells[1].filled ? (unsigned long long)cells[1].count : 0);
	put_name(out, &cells[2]);
	fputc('\t', out);
	put_name(out, &cells[3]);
	fputc('\n', out);
	return 0;
}

static int write_functions(const struct work *work, const struct wm_trace *trace,
			   struct wm_error *err)
{
	static const char *const options[] = { "fields=insns,executions,module,function",
					       NULL };
	struct function_sink sink = { { begin, put_function, end }, NULL };
	char path[PATH_MAX + 16];
	struct fresh_file file;
	int ret;

	path_in(work, "functions.tsv", path);
	ret = fresh_file_open(&file, path, err);
	if (ret)
		return ret;
	sink.out = file.out;
	return fresh_file_end(
		&file, question_ask("hot", trace, options, NULL, &sink.sink, err), err);
}

/* Of the first run. What is wrong with the trace is the result's. */
static int look_at_trace(const struct work *work, const struct wm_trace *trace,
			 struct wm_error *err)
{
	struct wm_check check = { 0 };
	struct result *result = work->result;
	struct wm_summary summary;
	struct wm_error fault;

	wm_trace_summary(trace, &summary);
	result->insns = result->fewest = result->most = summary.insns;
	result->blocks = summary.blocks;
	result->trace_bytes = summary.bytes;
	/* Of a program that was ended because of a limit it may be cut short. */
	if (!summary.complete)
		judge(result, SUITE_ERROR, "the trace is cut short: %s", summary.cut);
	else if (wm_trace_verify(trace, &check, &fault))
		judge(result, SUITE_ERROR, "the trace is not sound: %s", fault.text);
	return write_functions(work, trace, err);
}

/* Of the runs after it. */
static void compare_run(struct result *result, const struct wm_trace *trace)
{
	struct wm_summary summary;

	wm_trace_summary(trace, &summary);
	if (summary.insns < result->fewest)
		result->fewest = summary.insns;
	if (summary.insns > result->most)
		result->most = summary.insns;
}

/* ---- runs ---------------------------------------------------------------- */

/* What `record` has to say of a line on stderr; NULL: it is the program's. */
static const char *sentence_of(const char *line)
{
	static const char *const marks[] = { "waymark: ", "waymark record: " };

	for (unsigned i = 0; i < 2; i++)
		if (!strncmp(line, marks[i], strlen(marks[i])))
			return line + strlen(marks[i]);
	return NULL;
}

/*
 * What went wrong, as the recorder said it. The program may have written to the same file,
 * whatever bytes it liked, so of others than ASCII nothing is kept.
 */
static void judge_recorder(const struct work *work, const char *what)
{
	char path[PATH_MAX + 16], line[256], said[160] = "see stderr";
	const char *sentence;
	FILE *file;

	path_in(work, "stderr", path);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		sentence = sentence_of(line);
		if (sentence)
			snprintf(said, sizeof(said), "%.*s", (int)strcspn(sentence, "\n"),
				 sentence);
	}
	if (file)
		fclose(file);
	for (char *at = said; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	judge(work->result, SUITE_ERROR, "%s: %s", what, said);
}

/* Whether the program ended as it must, so that another exit status is the recorder's. */
static bool ended_well(const struct work *work, const struct wm_trace *trace)
{
	struct wm_process process;

	return !wm_trace_process(trace, 0, &process) && process.status >= 0 &&
	       WIFEXITED(process.status) &&
	       (uint64_t)WEXITSTATUS(process.status) == work->of->exit_status;
}

/* Without a trace `trace` is NULL. */
static void judge_end(const struct work *work, const struct limited *limited,
		      const struct wm_trace *trace)
{
	int status = limited->status;
	struct result *result = work->result;

	result->exit_status = WIFEXITED(status) ? (uint64_t)WEXITSTATUS(status) :
						  128u + (uint64_t)WTERMSIG(status);
	if (limited->exceeded)
		judge(result, SUITE_LIMIT, "it exceeded %s = %llu", limited->exceeded,
		      (unsigned long long)limited->allowed);
	else if (!trace)
		judge_recorder(work, "it was not recorded");
	else if (result->exit_status == work->of->exit_status)
		return;
	else if (result->exit_status == EXIT_ERROR && ended_well(work, trace))
		judge_recorder(work, "its recording failed");
	else
		judge(result, SUITE_FAILED, "its exit status is %llu, not %llu",
		      (unsigned long long)result->exit_status,
		      (unsigned long long)work->of->exit_status);
}

static int run_once(struct work *work, bool first, struct wm_error *err)
{
	struct limited limited;
	struct wm_trace *trace;
	struct wm_error fault;
	int ret;

	path_in(work, first ? "trace.wmk" : "again.wmk", work->trace);
	ret = run_program(work, &limited, err);
	if (ret)
		return ret;
	if (first || limited.milliseconds < work->result->milliseconds)
		work->result->milliseconds = limited.milliseconds;
	work->result->runs++;
	if (wm_trace_open(&trace, work->trace, &fault))
		trace = NULL;
	judge_end(work, &limited, trace);
	if (!trace)
		return 0;
	if (first)
		ret = look_at_trace(work, trace, err);
	else
		compare_run(work->result, trace);
	wm_trace_close(trace);
	if (!first)
		unlink(work->trace);
	return ret;
}

static void judge_one(struct result *result, uint64_t got, uint64_t most,
		      const char *what)
{
	char is[NUMBER_TEXT], may[NUMBER_TEXT];

	if (most && got > most)
		judge(result, SUITE_FAILED, "%s %s exceed the budget of %s",
		      number_grouped(is, got), what, number_grouped(may, most));
}

static void judge_budget(const struct suite_case *of, struct result *result)
{
	judge_one(result, result->most, of->most_insns, "instructions");
	judge_one(result, result->trace_bytes, of->most_trace_bytes, "bytes of trace");
	judge_one(result, result->milliseconds, of->most_seconds * 1000, "milliseconds");
}

/* ---- a case -------------------------------------------------------------- */

static int run_in_folder(struct work *work, struct wm_error *err)
{
	char path[PATH_MAX + 16];
	int ret = 0;

	for (uint64_t i = 0;
	     !ret && i < work->of->repeats && work->result->status == SUITE_PASSED; i++)
		ret = run_once(work, !i, err);
	if (ret)
		return ret;
	judge_budget(work->of, work->result);
	path_in(work, "result.toml", path);
	ret = result_write(work->result, path, err);
	return ret ? ret : case_folder_keep(&work->folder, err);
}

int case_run(const struct suite *suite, const struct suite_case *of, const char *out,
	     struct result *result, struct wm_error *err)
{
	struct work work = { .suite = suite, .of = of, .result = result };
	int ret;

	*result = (struct result){ .checksum = of->checksum };
	ret = case_folder_make(&work.folder, out, of->name, err);
	if (ret)
		return ret;
	ret = run_in_folder(&work, err);
	case_folder_close(&work.folder);
	return ret;
}

void case_result(const struct suite_case *of, const char *out, struct result *result)
{
	char path[PATH_MAX];

	/* A path that was cut is of no file. */
	snprintf(path, sizeof(path), "%s/%s/result.toml", out, of->name);
	result_read(result, path);
}

bool case_is_done(const struct suite_case *of, const struct result *result)
{
	return result->status == SUITE_PASSED && result->checksum == of->checksum;
}
