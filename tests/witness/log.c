// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread's file is made when it puts its first entry. A forked child forgets its
 * parent's files before it runs any guest code. No descriptor is kept: guests close what
 * they do not know.
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char folder[PATH_MAX];
static uint64_t entries_max;
static size_t entry_size;
static unsigned image;
static unsigned generations[LOG_VCPUS_MAX]; /* of each vCPU, threads so far */
static struct log *logs[LOG_VCPUS_MAX];

/* Like every failure here: a witness that is blind must not be believed. */
static void die(const char *what)
{
	fprintf(stderr, "witness: %s: %s\n", what, strerror(errno));
	abort();
}

/* The lowest number that no image of this pid has taken. */
static bool take_image(void)
{
	char path[PATH_MAX + 64];
	int fd;

	for (image = 0;; image++) {
		snprintf(path, sizeof(path), "%s/%d.%u", folder, (int)getpid(), image);
		fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
		if (fd >= 0)
			return !close(fd);
		if (errno != EEXIST)
			return false;
	}
}

static void forked_child(void)
{
	memset(generations, 0, sizeof(generations));
	memset(logs, 0, sizeof(logs));
	if (!take_image())
		die(folder);
}

bool log_open(const char *dir, uint64_t capacity, size_t entry_bytes)
{
	entries_max = capacity;
	entry_size = entry_bytes;
	return realpath(dir, folder) && take_image() &&
	       !pthread_atfork(NULL, NULL, forked_child);
}

static size_t log_bytes(void)
{
	return sizeof(struct log) + entries_max * entry_size;
}

static struct log *log_new(unsigned vcpu)
{
	unsigned generation = generations[vcpu] ? generations[vcpu] - 1 : 0;
	char path[PATH_MAX + 64];
	struct log *log;
	int fd;

	snprintf(path, sizeof(path), "%s/%d.%u.%u.%u", folder, (int)getpid(), image, vcpu,
		 generation);
	fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)log_bytes()) < 0)
		die(path);
	log = mmap(NULL, log_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		   fd, 0);
	if (log == MAP_FAILED)
		die(path);
	close(fd);
	log->capacity = entries_max;
	log->tid = (uint32_t)gettid();
	return log;
}

void log_thread(unsigned vcpu)
{
	if (vcpu >= LOG_VCPUS_MAX) {
		errno = ERANGE;
		die("vCPU");
	}
	if (logs[vcpu])
		munmap(logs[vcpu], log_bytes());
	logs[vcpu] = NULL;
	generations[vcpu]++;
}

uint64_t log_put(unsigned vcpu, const void *entry)
{
	struct log *log = logs[vcpu];
	uint64_t head;

	if (!log)
		log = logs[vcpu] = log_new(vcpu);
	head = atomic_load_explicit(&log->head, memory_order_relaxed);
	memcpy(log->entries + head % log->capacity * entry_size, entry, entry_size);
	atomic_store_explicit(&log->head, head + 1, memory_order_release);
	return head + 1;
}
