// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linux tells only two processes how a process ended: its parent, and the tracer of one
 * of its threads (ptrace(2)). A process with a traced thread that has ended, and that the
 * tracer has not waited for, has not ended for its parent either. So the warden traces
 * one thread of the first process: a thread of QEMU's own (it has one in every process,
 * for RCU), which runs no guest code and blocks all signals that others send. Signals of
 * the guest never stop at the tracer, and no thread of the guest is traced.
 *
 * Where the kernel does not allow that, the end is seen by a pidfd, without the status,
 * and the plugin waits in the process until the file is complete, if it gets to.
 *
 * The kernel kills all processes of a container, this one too, when the last thread of the
 * container's process 1 has ended, whether that is waited for or not. So the traced thread of
 * such a process stops before it ends.
 *
 * At execve() the kernel ends all other threads, the traced one with status 0, and waits
 * for the tracer to take note; the plugin in the next program offers another one. A program
 * without the plugin offers none. So when nothing else is recorded, the tracer takes note
 * only when the file is complete, and the program begins then.
 */
#include "collect/warden.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/futex.h"
#include "base/helper_thread.h"

#define LOOK_MS 20 /* between two looks whether a process that is not traced has ended */
#define CONTAINERS_FIRST 1 /* the id of a container's first process, inside of it */

struct warden {
	struct board *board;
	pid_t pid;
	int pidfd;
	pid_t held; /* the traced thread that has ended, or is about to; 0: none */
	struct warden_client client;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool has_ended, released;
};

static bool is_gone(const struct warden *warden)
{
	struct pollfd poll_fd = { .fd = warden->pidfd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) > 0;
}

/* ---- the traced thread --------------------------------------------------- */

/* Traces the thread that the plugin offers; it must be one of the process. */
static pid_t seize(const struct warden *warden)
{
	long options = warden->pid == CONTAINERS_FIRST ? PTRACE_O_TRACEEXIT : 0;
	pid_t tid = (pid_t)atomic_load(&warden->board->hold.tid);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)warden->pid, (int)tid);
	/*
	 * The thread id is from shared memory. The main thread runs guest code and would
	 * stop at its signals.
	 */
	if (tid <= 0 || tid == warden->pid || access(path, F_OK) ||
	    ptrace(PTRACE_SEIZE, tid, NULL, (void *)options) < 0)
		return 0;
	return tid;
}

static bool stops_all(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
	       signal == SIGTTOU;
}

/*
 * The thread stopped: it stays stopped with its process, or continues with its signal. By now
 * it may have ended instead, because a SIGKILL of the process ends every stop: so only a stop
 * is taken, and the end is left for wait_for_end().
 */
static void pass_stop(pid_t tid)
{
	siginfo_t info = { .si_pid = 0 };
	int signal, event;

	if (waitid(P_PID, (id_t)tid, &info, WSTOPPED | WNOHANG | __WALL) < 0 ||
	    !info.si_pid)
		return;
	signal = info.si_status & 0xff;
	event = info.si_status >> 8;
	/* A signal was about to be delivered: it goes on to the thread. */
	if (event != PTRACE_EVENT_STOP)
		ptrace(PTRACE_CONT, tid, NULL, (void *)(long)signal);
	else if (stops_all(signal))
		/* PTRACE_LISTEN leaves it stopped with its group, until SIGCONT. */
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
	else
		ptrace(PTRACE_CONT, tid, NULL, NULL);
}

/* The status with which a thread that stops before its end will end; -1: no such stop. */
static int status_of_exit_stop(pid_t tid, const siginfo_t *info)
{
	unsigned long status;

	if (info->si_code != CLD_TRAPPED || info->si_status >> 8 != PTRACE_EVENT_EXIT ||
	    ptrace(PTRACE_GETEVENTMSG, tid, NULL, &status) < 0)
		return -1;
	return (int)status;
}

/*
 * Waits until the thread has ended, or is about to, without reaping it; its status, -1: not
 * known.
 */
static int wait_for_end(pid_t tid)
{
	siginfo_t info;
	int status;

	for (;;) {
		info.si_pid = 0;
		/*
		 * WNOWAIT: an ended thread must stay unreaped, because that is what holds
		 * the process.
		 */
		if (waitid(P_PID, (id_t)tid, &info,
			   WEXITED | WSTOPPED | WNOWAIT | __WALL) < 0) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		if (info.si_code == CLD_EXITED)
			return (info.si_status & 0xff) << 8;
		if (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
			return info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
		status = status_of_exit_stop(tid, &info);
		if (status >= 0)
			return status;
		pass_stop(tid);
	}
}

/* Reaps the thread, which ends first if it has stopped before that. */
static void let_go(pid_t tid)
{
	ptrace(PTRACE_CONT, tid, NULL, NULL);
	waitpid(tid, NULL, __WALL);
}

/* ---- the process --------------------------------------------------------- */

/* Waits until the plugin offers a thread; false when the process ends before that. */
static bool wait_for_ask(const struct warden *warden)
{
	_Atomic uint32_t *state = &warden->board->hold.state;
	uint32_t seen;

	while ((seen = atomic_load(state)) != HOLD_ASKED) {
		if (is_gone(warden))
			return false;
		/* With a timeout, because a process that dies does not wake us. */
		futex_wait(state, seen, LOOK_MS);
	}
	return true;
}

static void answer(const struct warden *warden, enum hold_state state)
{
	atomic_store(&warden->board->hold.state, state);
	futex_wake_all(&warden->board->hold.state);
}

/*
 * Whether the process, whose execve() has succeeded, is recorded no more. Threads that call
 * execve() at once have one winner, so only what all of them do is certain.
 */
static bool has_left(const struct warden *warden)
{
	struct hold *hold = &warden->board->hold;

	return atomic_load(&hold->leaving) >= atomic_load(&hold->becoming) &&
	       warden->client.left(warden->client.cookie);
}

/*
 * Watches the process to its end, through each execve(); its status, -1: not known, because
 * it was not traced. A refused process asks again after execve().
 */
static int follow(struct warden *warden)
{
	while (wait_for_ask(warden)) {
		pid_t tid = seize(warden);
		int status;

		answer(warden, tid ? HOLD_GIVEN : HOLD_REFUSED);
		if (!tid)
			continue;
		status = wait_for_end(tid);
		/*
		 * A thread that ends with status 0 during execve() was ended by the
		 * kernel to make room for the next program. Everything else is the end of
		 * the process.
		 */
		if (status || !atomic_load(&warden->board->hold.becoming)) {
			warden->held = tid;
			return status;
		}
		if (has_left(warden)) {
			warden->held = tid;
			return -1;
		}
		/*
		 * Before the thread is reaped: only then does execve() go on and the next
		 * program's plugin ask.
		 */
		atomic_store(&warden->board->hold.state, HOLD_NONE);
		let_go(tid);
	}
	return -1;
}

/*
 * Reports the end at once, but reaps the traced thread only when the recording is
 * complete.
 */
static void *watch(void *cookie)
{
	struct warden *warden = cookie;
	int status = follow(warden);

	pthread_mutex_lock(&warden->lock);
	warden->has_ended = true;
	pthread_mutex_unlock(&warden->lock);
	warden->client.ended(warden->client.cookie, status);
	pthread_mutex_lock(&warden->lock);
	while (!warden->released)
		pthread_cond_wait(&warden->changed, &warden->lock);
	pthread_mutex_unlock(&warden->lock);
	if (warden->held)
		let_go(warden->held);
	return NULL;
}

int warden_start(struct warden **out, struct board *board, pid_t pid,
		 const struct warden_client *client, struct wm_error *err)
{
	struct warden *warden = calloc(1, sizeof(*warden));
	int ret = 0;

	if (!warden)
		return wm_fail_nomem(err, "watching the guest");
	warden->board = board;
	warden->pid = pid;
	warden->client = *client;
	pthread_mutex_init(&warden->lock, NULL);
	pthread_cond_init(&warden->changed, NULL);
	/* Before the guest runs: its plugin compares this with its own process id. */
	board->hold.pid = (uint32_t)pid;
	atomic_store(&board->hold.status, -1);
	warden->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (warden->pidfd < 0)
		ret = wm_fail_errno(err, "cannot watch process %d", (int)pid);
	else if (helper_thread_start(&warden->thread, watch, warden))
		ret = wm_fail_nomem(err, "a thread");
	if (!ret) {
		*out = warden;
		return 0;
	}
	if (warden->pidfd >= 0)
		close(warden->pidfd);
	free(warden);
	return ret;
}

void warden_release(struct warden *warden)
{
	bool has_ended;

	if (!warden)
		return;
	pthread_mutex_lock(&warden->lock);
	has_ended = warden->has_ended;
	warden->released = true;
	pthread_cond_signal(&warden->changed);
	pthread_mutex_unlock(&warden->lock);
	if (!has_ended)
		return; /* the thread waits on, and owns the warden */
	pthread_join(warden->thread, NULL);
	close(warden->pidfd);
	free(warden);
}
