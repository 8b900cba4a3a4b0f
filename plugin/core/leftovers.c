// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU calls leftovers_forget() after it has freed the callbacks, and before any vCPU runs
 * code again: no helper accesses memory between the two. A vCPU whose thread is in a system
 * call meanwhile has no pointer, as QEMU takes it back on that way out of a block.
 *
 * Example: a load that ends its page is the last instruction of its block, and its callback
 * stays in force. A window opens, and all code is thrown away. The thread's next atomic
 * instruction is a helper's, which would read the freed list of callbacks.
 */
#include "plugin/core/leftovers.h"

#include <stdatomic.h>

#include "plugin/qemu_api.h"

static _Atomic unsigned vcpus; /* indexes are below this */

bool leftovers_possible(void)
{
	return qemu_get_cpu && qemu_plugin_disable_mem_helpers;
}

void leftovers_vcpu(unsigned vcpu)
{
	unsigned known = atomic_load(&vcpus);

	while (known <= vcpu && !atomic_compare_exchange_weak(&vcpus, &known, vcpu + 1))
		;
}

void leftovers_forget(void)
{
	unsigned n = atomic_load(&vcpus);

	/* By index, because those of threads that ended are no more. */
	for (unsigned i = 0; i < n; i++) {
		void *cpu = qemu_get_cpu((int)i);

		if (cpu)
			qemu_plugin_disable_mem_helpers(cpu);
	}
}
