// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of a process that is not the warden's child: how it ends, and who sees it when. */
#include "collect/warden.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/futex.h"

#define ANSWER_MS 100

static struct board *board; /* shared with the process that is watched */

/* What the warden told. */
struct told {
	sem_t once;
	int status, times;
};

static bool ends; /* whether it ends the recording that the process leaves it */

static bool on_left(void *cookie)
{
	(void)cookie;
	return ends;
}

static void on_end(void *cookie, int status)
{
	struct told *told = cookie;

	told->status = status;
	told->times++;
	sem_post(&told->once);
}

/* ---- the process --------------------------------------------------------- */

static _Atomic uint32_t idle_tid;

/* As QEMU's own thread: no signal comes to it, and it does nothing. */
static void *idle(void *unused)
{
	sigset_t all;

	(void)unused;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	atomic_store(&idle_tid, (uint32_t)gettid());
	for (;;)
		pause();
	return NULL;
}

/* Offers thread `tid` as the plugin does; the warden's answer. */
static enum hold_state offer(uint32_t tid)
{
	struct hold *hold = &board->hold;

	atomic_store(&hold->becoming, 0);
	atomic_store(&hold->tid, tid);
	atomic_store(&hold->state, HOLD_ASKED);
	futex_wake_all(&hold->state);
	while (atomic_load(&hold->state) == HOLD_ASKED)
		futex_wait(&hold->state, HOLD_ASKED, ANSWER_MS);
	return atomic_load(&hold->state);
}

static uint32_t start_idle(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, idle, NULL))
		_exit(99);
	while (!atomic_load(&idle_tid))
		usleep(1000);
	return atomic_load(&idle_tid);
}

/* What a process does that is watched. */
enum deed { EXITS, IS_KILLED, STOPS, BECOMES, LEAVES, OFFERS_NOTHING, OFFERS_ANOTHERS };

static void live(enum deed deed)
{
	uint32_t tid = deed == OFFERS_NOTHING  ? 0 :
		       deed == OFFERS_ANOTHERS ? (uint32_t)getppid() :
						 start_idle();
	enum hold_state wanted = deed == OFFERS_NOTHING || deed == OFFERS_ANOTHERS ?
					 HOLD_REFUSED :
					 HOLD_GIVEN;

	if (offer(tid) != wanted)
		_exit(98);
	if (deed == IS_KILLED)
		raise(SIGKILL);
	if (deed == STOPS)
		raise(SIGSTOP);
	if (deed == BECOMES || deed == LEAVES) {
		atomic_store(&board->hold.leaving, deed == LEAVES);
		atomic_store(&board->hold.becoming, 1);
		execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
	}
	_exit(7);
}

static pid_t start(enum deed deed)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child)
		live(deed);
	return child;
}

/* ---- the warden's waitid() ----------------------------------------------- */

static _Atomic bool killed_in_stop; /* the process, at the next stop that the warden sees */

int __real_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options);

/* Instead of waitid() (--wrap in meson.build). */
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	int ret = __real_waitid(type, id, info, options);
	siginfo_t end;

	if (ret || info->si_code != CLD_TRAPPED ||
	    !atomic_exchange(&killed_in_stop, false))
		return ret;
	kill((pid_t)board->hold.pid, SIGKILL);
	assert_int_equal(__real_waitid(type, id, &end, WEXITED | WNOWAIT | __WALL), 0);
	return ret;
}

/* ---- the tests ----------------------------------------------------------- */

static int set_up(void **state)
{
	(void)state;
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return board == MAP_FAILED;
}

static int tear_down(void **state)
{
	(void)state;
	return munmap(board, sizeof(*board));
}

/* A process that does `deed` ends with `told` for the warden, and with `seen` for its parent. */
static void check_end(enum deed deed, bool held, int told_status, int seen)
{
	pid_t child = start(deed);
	struct told told = { .times = 0 };
	const struct warden_client client = { on_end, on_left, &told };
	struct warden *warden;
	int status;

	sem_init(&told.once, 0, 0);
	assert_int_equal(warden_start(&warden, board, child, &client, NULL), 0);
	if (deed == STOPS && !killed_in_stop) {
		assert_int_equal(waitpid(child, &status, WUNTRACED), child);
		assert_true(WIFSTOPPED(status));
		kill(child, SIGCONT);
	}
	while (sem_wait(&told.once) < 0)
		assert_int_equal(errno, EINTR);
	assert_int_equal(told.status, told_status);
	if (held)
		assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	warden_release(warden);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, seen);
	assert_int_equal(told.times, 1);
}

static void test_exit(void **state)
{
	(void)state;
	check_end(EXITS, true, 7 << 8, 7 << 8);
}

static void test_kill(void **state)
{
	(void)state;
	check_end(IS_KILLED, true, SIGKILL, SIGKILL);
}

/* Its parent sees it stop, and go on. */
static void test_stop(void **state)
{
	(void)state;
	check_end(STOPS, true, 7 << 8, 7 << 8);
}

/*
 * It is killed while the warden handles its stop: between the calls of waitid() that see the stop
 * and take it. The end is not taken for the stop.
 */
static void test_killed_in_stop(void **state)
{
	(void)state;
	killed_in_stop = true;
	check_end(STOPS, true, SIGKILL, SIGKILL);
	assert_false(killed_in_stop);
}

/* At execve() the traced thread ends, and the process does not. */
static void test_exec(void **state)
{
	(void)state;
	check_end(BECOMES, false, -1, 6 << 8);
}

/* A program that is not recorded, at the end of the recording: it begins when that is over. */
static void test_leave(void **state)
{
	(void)state;
	ends = true;
	check_end(LEAVES, true, -1, 6 << 8);
	ends = false;
}

/* The same while others are recorded. */
static void test_leave_others(void **state)
{
	(void)state;
	check_end(LEAVES, false, -1, 6 << 8);
}

static void test_no_thread(void **state)
{
	(void)state;
	check_end(OFFERS_NOTHING, false, -1, 7 << 8);
}

/* The memory is the guest's to write: a thread of another process is not touched. */
static void test_foreign_thread(void **state)
{
	(void)state;
	check_end(OFFERS_ANOTHERS, false, -1, 7 << 8);
}

static void test_never_asked(void **state)
{
	pid_t child = fork();
	struct told told = { .times = 0 };
	const struct warden_client client = { on_end, on_left, &told };
	struct warden *warden;

	(void)state;
	if (!child)
		_exit(3);
	sem_init(&told.once, 0, 0);
	assert_int_equal(warden_start(&warden, board, child, &client, NULL), 0);
	sem_wait(&told.once);
	assert_int_equal(told.status, -1);
	warden_release(warden);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_exit, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_kill, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_stop, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_killed_in_stop, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_exec, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_leave, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_leave_others, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_no_thread, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_foreign_thread, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_never_asked, set_up, tear_down),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
