// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MPI launchers tell a process by its environment that it is one of several. Only then is the
 * module loaded that speaks MPI (mpi/team.c), so that the command needs none by itself.
 *
 * WAYMARK_MPI=no makes it ignore the launcher: a script that each process of a job runs may
 * call waymark for purposes of its own.
 */
#include "cli/team.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "cli/fresh_file.h"
#include "cli/habits.h"
#include "cli/stdout.h"

/* Of Open MPI, of MPICH and Intel MPI, and of srun --mpi=pmix. */
static const struct launcher {
	const char *size, *rank;
} launchers[] = {
	{ "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" },
	{ "PMI_SIZE", "PMI_RANK" },
	{ "SLURM_STEP_NUM_TASKS", "PMIX_RANK" },
};

static const struct team *joined;

static unsigned long number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : 0;
}

/* The one that has started at least that number of processes; NULL: none has. */
static const struct launcher *find_launcher_of(unsigned long least)
{
	const char *wish = getenv("WAYMARK_MPI");

	if (wish && !strcmp(wish, "no"))
		return NULL;
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++)
		if (getenv(launchers[i].rank) && number_of(launchers[i].size) >= least)
			return &launchers[i];
	return NULL;
}

/* NULL: it was started alone. */
static const struct launcher *find_launcher(void)
{
	return find_launcher_of(2);
}

/*
 * Until it has joined, a process knows no more than the first one, which says what is wrong
 * with a command line. *said is standard error then.
 */
static int said = -1;

/* How long a process that ends in silence lets the first one speak, in seconds. */
enum { PATIENCE = 5 };

/* A launcher ends the job when one process fails, and the first one's sentence with it. */
static void wait_for_first(int status, void *cookie)
{
	(void)cookie;
	if (said >= 0 && status)
		sleep(PATIENCE);
}

static void hush(void)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

	on_exit(wait_for_first, NULL);
	said = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (nothing >= 0 && said >= 0)
		dup2(nothing, STDERR_FILENO);
	if (nothing >= 0)
		close(nothing);
}

static void speak(void)
{
	if (said < 0)
		return;
	dup2(said, STDERR_FILENO);
	close(said);
	said = -1;
}

/* mpirun gives a process a terminal of its own as stdout, at which nobody sits. */
static void forget_terminal(void)
{
	habits.no_pager = true;
	stdout_is_relayed();
	if (habits.colour == COLOUR_AUTO)
		habits.colour = COLOUR_NEVER;
}

void team_enter(bool shares)
{
	const struct launcher *launcher = find_launcher();

	/* A job of one process has such a terminal, too. */
	if (find_launcher_of(1))
		forget_terminal();
	if (!launcher)
		return;
	if (!shares) {
		team_leave_to_first();
		return;
	}
	if (number_of(launcher->rank))
		hush();
}

static void leave(void)
{
	joined->leave(joined);
}

static const struct team *join_or_end(void)
{
	const char *why = NULL;
	char path[PATH_MAX];
	void *module = NULL;
	team_join join = NULL;

	if (find_own(path, "waymark-mpi.so", "../lib/waymark/waymark-mpi.so"))
		/* Global: parts of MPI look for its symbols. */
		module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	why = module ? NULL : dlerror();
	if (module)
		join = (team_join)dlsym(module, "waymark_team");
	/* Why a process cannot join is MPI's to say, in that process and in no other. */
	if (join)
		speak();
	joined = join ? join() : NULL;
	if (!joined)
		exit(fail(
			"MPI started this, but waymark was built without MPI, or cannot "
			"load it%s%s; WAYMARK_MPI=no lets each process answer for itself",
			why ? ": " : "", why ? why : ""));
	atexit(leave);
	return joined;
}

const struct team *team_of_job(void)
{
	if (joined || !find_launcher())
		return joined;
	join_or_end();
	forget_terminal();
	if (joined->rank) {
		habits.quiet = true;
		stdout_mute();
		fresh_files_are_elsewhere();
	}
	return joined;
}

void team_leave_to_first(void)
{
	const struct launcher *launcher = find_launcher();

	if (launcher && number_of(launcher->rank))
		exit(EXIT_OK);
	if (launcher)
		forget_terminal();
}
