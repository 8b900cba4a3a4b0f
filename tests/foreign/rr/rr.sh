#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Some of rr's tests, a few of each kind; all of them are in tests/long/foreign-rr.sh.

set --
# Signals, faults, and ends by them.
set -- "$@" async_segv_ignored bad_ip blocked_sigill doublesegv segfault sigaltstack sigframe_grow_stack \
	sighandler_mask sigprocmask_exec sigqueueinfo sigreturn_reg
# Processes and threads.
set -- "$@" abort_nonmain clone_bad_stack clone_fail fork_many join_threads orphan_process \
	vfork wait_sigstop
# Programs that execute others.
set -- "$@" exec_from_other_thread exec_no_env fexecve self_shebang shared_exec
# Memory, descriptors, and what the kernel refuses.
set -- "$@" args bad_syscall close_range exit_fast jit_proc_mem map_fixed proc_fds seccomp_null
exec "$SRC/tests/foreign/suite.sh" rr "$@"
