// SPDX-License-Identifier: GPL-2.0-or-later
/* What is told here is known without asking the guest for anything. */
#include "collect/tell.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

static struct event_record record_of(const struct process *process, uint32_t kind,
				     uint64_t ns)
{
	uint64_t now_ns = clock_ns();
	bool can_be = ns >= process->recording->begin_ns && ns <= now_ns;

	return (struct event_record){
		.kind = kind,
		.ns = can_be ? ns : now_ns,
		.process = process->index,
		.pid = process->life.pid,
		.thread = EVENT_NONE,
		.text = "",
	};
}

static void add(const struct process *process, const struct event_record *record)
{
	struct recording *rec = process->recording;

	eventlog_add(&rec->events, &rec->out, record);
}

static void add_thread(const struct process *process, uint32_t vcpu, uint32_t kind,
		       uint64_t ns, const char *text)
{
	struct event_record record = record_of(process, kind, ns);

	record.tid = process->lanes[vcpu].tid;
	record.n = 2;
	record.fields[0] = vcpu;
	record.fields[1] = record.tid;
	record.text = text;
	record.text_bytes = strlen(text);
	add(process, &record);
}

void tell_thread(const struct process *process, uint32_t vcpu, uint32_t kind, uint64_t ns)
{
	if (process->lanes[vcpu].begun)
		add_thread(process, vcpu, kind, ns, "");
}

void tell_name(struct process *process, uint32_t vcpu, uint64_t ns, const char *name)
{
	struct lane_end *mine = &process->lanes[vcpu];

	if (!mine->begun || !strcmp(name, mine->told))
		return;
	snprintf(mine->told, sizeof(mine->told), "%s", name);
	add_thread(process, vcpu, WM_EVENT_THREAD_NAME, ns, name);
}

void tell_threads_end(const struct process *process)
{
	for (uint32_t vcpu = 0; vcpu < process->n_lanes; vcpu++)
		tell_thread(process, vcpu, WM_EVENT_VCPU_EXIT, clock_ns());
}

void tell_fork(const struct process *process, uint32_t child, uint64_t ns)
{
	struct event_record record = record_of(process, WM_EVENT_FORK, ns);

	record.n = 1;
	record.fields[0] = child;
	add(process, &record);
}

void tell_exec(const struct process *process)
{
	struct event_record record =
		record_of(process, WM_EVENT_EXEC, process->arena->header.begin_ns);

	record.text = process->program ? process->program : "";
	record.text_bytes = strlen(record.text);
	add(process, &record);
}
