// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each recorder listens on a socket in a folder of its user (collect/rendezvous.c). All
 * are asked for their status, and the one that the user named is chosen: by the
 * recorder's pid, by the pid of a recorded process, or by its file. Root also sees
 * recordings of the user who owns the named process or file.
 *
 * Example: `waymark ctl 4711 status`: 4711 is a recorded guest, so its recorder's status
 * lists it. A name that is a number is tried as a process first, then as a file.
 */
#include "cli/live/recordings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/append.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "collect/rendezvous.h"
#include "out/number.h"
#include "out/text.h"

#define STATUS_SECONDS 5 /* to wait for a recorder that may be stopped */

/* Requests go to the socket of the recorder's user. */
int recorder_ask(const struct recorder *recorder, enum request_kind kind,
		 const char *argument, unsigned seconds, struct buf *answer,
		 struct span *rest, struct wm_error *err)
{
	return client_ask(recorder->uid, recorder->pid, kind, argument, seconds, answer,
			  rest, err);
}

const char *recorder_state(const struct status *status)
{
	static const char *const names[STATES] = { "starting", "recording", "waiting",
						   "off", "stopped" };

	return names[status->state];
}

/* A thread without a name has that of its process's program. */
const char *recorder_thread_name(const struct status *status,
				 const struct status_thread *thread)
{
	for (uint32_t i = 0; !*thread->name && i < status->n_processes; i++) {
		const struct status_process *process = &status->processes[i];
		const char *slash = strrchr(process->path, '/');

		if (process->index == thread->process)
			return slash ? slash + 1 : process->path;
	}
	return thread->name;
}

void recorder_fini(struct recorder *recorder)
{
	status_fini(&recorder->status);
}

/* ---- all there are ------------------------------------------------------- */

struct recorders {
	struct recorder *list; /* [n] */
	unsigned n;
	pid_t silent; /* one that did not answer in time; 0: all did */
};

/* A recorder that does not answer in time is left out: it cannot be steered either. */
static bool get_status(struct recorder *recorder, pid_t *silent)
{
	struct buf answer = BUF_INIT;
	struct span rest;
	struct wm_error err;
	int ret = recorder_ask(recorder, REQUEST_STATUS, "", STATUS_SECONDS, &answer,
			       &rest, &err);
	bool good = !ret && status_get(&rest, &recorder->status);

	if (ret && client_waited(&err))
		*silent = recorder->pid;
	buf_fini(&answer);
	return good;
}

/* A recorder may end between the listing and the request; it is then not added. */
static void add_all(struct recorders *all, uid_t uid, bool everywhere)
{
	pid_t *pids;
	unsigned n;

	/* Without such a folder no recording runs. */
	if (rendezvous_list(uid, everywhere, &pids, &n, NULL))
		return;
	for (unsigned i = 0; i < n; i++) {
		struct recorder recorder = { .uid = uid, .pid = pids[i] };

		if (get_status(&recorder, &all->silent) &&
		    !APPEND(all->list, all->n, recorder))
			recorder_fini(&recorder);
	}
	free(pids);
}

/*
 * Moves recorder `index` to *recorder and frees the others. With index n all are freed.
 */
static void take(struct recorders *all, unsigned index, struct recorder *recorder)
{
	for (unsigned i = 0; i < all->n; i++)
		if (i == index)
			*recorder = all->list[i];
		else
			recorder_fini(&all->list[i]);
	free(all->list);
}

/* ---- the selected one ---------------------------------------------------- */

/* pids of recorded processes and of the recorder itself. */
static bool is_of_pid(const struct recorder *recorder, uint64_t pid)
{
	for (uint32_t i = 0; i < recorder->status.n_processes; i++)
		if (recorder->status.processes[i].pid == pid &&
		    !recorder->status.processes[i].is_inside)
			return true;
	return (uint64_t)recorder->pid == pid;
}

/* Compares files by device and inode, or when one does not exist yet, absolute paths. */
static bool is_of_file(const struct recorder *recorder, const char *path)
{
	const char *file = recorder->status.file;
	char whole[PATH_MAX];
	struct stat one, other;

	if (stat(path, &one) == 0 && stat(file, &other) == 0)
		return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
	return find_absolute(whole, path) && !strcmp(whole, file);
}

/* The first match; n when there is none. */
static unsigned find_in(const struct recorders *all, const char *target)
{
	uint64_t pid;
	bool is_pid = number_parse(target, &pid);
	/* A number is tried as a pid and as a file's name. */
	unsigned i = 0;

	while (i < all->n && !(is_pid && is_of_pid(&all->list[i], pid)) &&
	       !is_of_file(&all->list[i], target))
		i++;
	return i;
}

/* The owner of a process or file; -1: it does not exist. */
static uid_t owner_of(const char *target)
{
	char path[40];
	uint64_t pid;
	struct stat st;

	if (number_parse(target, &pid) && pid <= INT_MAX) {
		snprintf(path, sizeof(path), "/proc/%d", (int)pid);
		target = path;
	}
	return stat(target, &st) == 0 ? st.st_uid : (uid_t)-1;
}

/* The pid of the first process is what the user most likely knows. */
static void tell_several(const struct recorders *all)
{
	fail("%u recordings run; name one by its process id or file:", all->n);
	for (unsigned i = 0; i < all->n; i++) {
		const struct status *status = &all->list[i].status;
		int pid = status->n_processes ? (int)status->processes[0].pid :
						(int)all->list[i].pid;

		/* File names may have control characters, which a terminal would obey. */
		text_make_line(status->file);
		fprintf(stderr, "%8d  %s\n", pid, status->file);
	}
}

/*
 * The reason depends on what the target is: nothing, another user's, a number, a file. A recorder
 * that did not answer may be the one that is meant.
 */
static void tell_none(const char *target, uid_t owner, pid_t silent)
{
	char unless[80] = "";
	uint64_t pid;

	if (silent)
		snprintf(unless, sizeof(unless),
			 ", unless by process %d, which does not answer", (int)silent);
	if (!target && silent)
		fail("process %d, which records, does not answer", (int)silent);
	else if (!target)
		fail("no recording runs");
	else if (owner != (uid_t)-1 && owner != geteuid() && geteuid() != 0)
		fail("%s is another user's", target);
	else if (number_parse(target, &pid))
		fail("process %s is not being recorded%s", target, unless);
	else
		fail("%s is not being recorded%s", target, unless);
}

bool recorder_find(struct recorder *recorder, const char *target)
{
	uid_t owner = target ? owner_of(target) : (uid_t)-1;
	struct recorders all = { 0 };
	unsigned index = 0;
	bool found;

	add_all(&all, geteuid(), target);
	/* Root's own recorders are in the list already. */
	if (geteuid() == 0 && owner != (uid_t)-1 && owner != 0)
		add_all(&all, owner, true);
	if (target)
		index = find_in(&all, target);
	/* Without a target there must be no choice. */
	found = index < all.n && (target || all.n == 1);
	if (!target && all.n > 1)
		tell_several(&all);
	else if (!found)
		tell_none(target, owner, all.silent);
	/* The chosen one becomes the caller's. */
	take(&all, found ? index : all.n, recorder);
	return found;
}
