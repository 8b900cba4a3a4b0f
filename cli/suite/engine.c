// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Locally, a case is a child of this process; as many run at once as are wanted. Under Slurm
 * it is a job of an array, which runs `suite run --only NAME`, the command that people use
 * with other batch systems. sbatch waits for the array (--wait).
 *
 * Invariant: running[] are the children that have not been waited for, with a descriptor each
 * that becomes readable when the child ends.
 */
#include "cli/suite/engine.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/append.h"
#include "base/error.h"
#include "base/parallel.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "cli/suite/case.h"

/* ---- this machine -------------------------------------------------------- */

struct pool {
	const struct engine *engine;
	struct pollfd *fds; /* [room] */
	pid_t *running;	    /* [n] of these, */
	size_t *cases;	    /* and which they run */
	size_t n, room;
};

/* In the child. */
static void run_case(const struct engine *engine, size_t index)
{
	const struct suite_case *of = &engine->suite->cases[index];
	struct result result;
	struct wm_error err;

	if (case_run(engine->suite, of, engine->out, &result, &err))
		_exit(fail_on(of->name, &err));
	_exit(0);
}

static int start(struct pool *pool, size_t index, struct wm_error *err)
{
	pid_t child = case_fork();

	if (!child)
		run_case(pool->engine, index);
	if (child < 0)
		return wm_fail_errno(err, "cannot start a process");
	pool->running[pool->n] = child;
	pool->cases[pool->n] = index;
	pool->fds[pool->n++] = (struct pollfd){
		.fd = (int)syscall(SYS_pidfd_open, child, 0),
		.events = POLLIN,
	};
	return 0;
}

/* Waits until one child at least has ended, and forgets those. */
static void reap(struct pool *pool)
{
	poll(pool->fds, pool->n, -1);
	for (size_t i = pool->n; i-- > 0;)
		/* Without a descriptor it is waited for right away. */
		if (pool->fds[i].revents || pool->fds[i].fd < 0) {
			waitpid(pool->running[i], NULL, 0);
			pool->engine->ended(pool->engine->cookie, pool->cases[i]);
			if (pool->fds[i].fd >= 0)
				close(pool->fds[i].fd);
			pool->n--;
			pool->fds[i] = pool->fds[pool->n];
			pool->running[i] = pool->running[pool->n];
			pool->cases[i] = pool->cases[pool->n];
		}
}

int engine_local(const struct engine *engine, struct wm_error *err)
{
	struct pool pool = {
		.engine = engine,
		.room = engine->jobs ? engine->jobs : parallel_threads(),
	};
	int ret = 0;

	pool.fds = calloc(pool.room, sizeof(*pool.fds));
	pool.running = calloc(pool.room, sizeof(*pool.running));
	pool.cases = calloc(pool.room, sizeof(*pool.cases));
	if (!pool.fds || !pool.running || !pool.cases)
		ret = wm_fail_nomem(err, "the jobs of a suite");
	for (size_t i = 0; !ret && i < engine->n; i++) {
		while (pool.n == pool.room)
			reap(&pool);
		ret = start(&pool, engine->wanted[i], err);
	}
	while (pool.n)
		reap(&pool);
	free(pool.fds);
	free(pool.running);
	free(pool.cases);
	return ret;
}

/* ---- Slurm --------------------------------------------------------------- */

/* 'TEXT' for a shell. */
static void quote(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
	fputc('\'', out);
}

/*
 * What a job of the array runs: the case of its number. Names are words (cli/suite/suite.c),
 * so a list of them needs no quotes.
 */
static void write_script(FILE *out, const struct engine *engine, const char *self)
{
	fputs("#!/bin/sh\nset --", out);
	for (size_t i = 0; i < engine->n; i++)
		fprintf(out, " %s", engine->suite->cases[engine->wanted[i]].name);
	fputs("\nshift \"$SLURM_ARRAY_TASK_ID\"\nexec ", out);
	quote(out, self);
	fputs(" suite run ", out);
	quote(out, engine->path);
	fputs(" -o ", out);
	quote(out, engine->out);
	fputs(" --only \"$1\"\n", out);
}

/* In the child: becomes sbatch, whose script comes from standard input. */
static void become_sbatch(const struct engine *engine, int script)
{
	char **words = calloc(engine->n_words + 8, sizeof(*words));
	char array[64], most[32] = "";
	size_t n = 0;

	if (!words)
		_exit(127);
	if (engine->jobs)
		snprintf(most, sizeof(most), "%%%u", engine->jobs);
	snprintf(array, sizeof(array), "--array=0-%zu%s", engine->n - 1, most);
	words[n++] = (char *)"sbatch";
	words[n++] = (char *)"--wait";
	words[n++] = (char *)"--quiet";
	words[n++] = array;
	words[n++] = (char *)"--output=/dev/null";
	for (size_t i = 0; i < engine->n_words; i++)
		words[n++] = engine->words[i];
	dup2(script, 0);
	execvp("sbatch", words);
	dprintf(2, "waymark: cannot run sbatch: %m\n");
	_exit(127);
}

int engine_slurm(const struct engine *engine, struct wm_error *err)
{
	FILE *script = tmpfile();
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	pid_t child;
	int status;

	if (!script || n < 0) {
		if (script)
			fclose(script);
		return wm_fail_errno(err, "cannot write a job's script");
	}
	self[n] = 0;
	write_script(script, engine, self);
	fflush(NULL);
	rewind(script);
	child = fork();
	if (!child)
		become_sbatch(engine, fileno(script));
	fclose(script);
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return wm_fail_errno(err, "cannot start sbatch");
	/* The status of the jobs is that of the worst one: their results say more. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return wm_fail(err, WM_E_IO, 0, "Slurm took no job");
	return 0;
}
