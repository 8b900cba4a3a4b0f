// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HotSpot keeps its arguments in an array for those who ask (RuntimeMXBean, jcmd), and has
 * read it when an agent begins. The one that loads this agent is no argument of the user's.
 *
 * Example: "-agentpath:/lib/agent.so", "-Xint" becomes "-Xint". An agent of the user's stays.
 */
#define _GNU_SOURCE
#include "guides/hotspot/hide.h"

#include <dlfcn.h>
#include <string.h>

#include "guides/hotspot/vm.h"

#define OPTION "-agentpath:"

/* Whether the argument loads this library. */
static bool loads_us(const char *argument)
{
	Dl_info us;

	return !strncmp(argument, OPTION, strlen(OPTION)) &&
	       dladdr((const void *)&hide_agent, &us) && us.dli_fname &&
	       !strcmp(argument + strlen(OPTION), us.dli_fname);
}

void hide_agent(void)
{
	char ***array = vm_static("Arguments", "_jvm_args_array");
	int *count = vm_static("Arguments", "_num_jvm_args");
	int kept = 0;

	if (!array || !*array || !count)
		return;
	for (int i = 0; i < *count; i++)
		if (!loads_us((*array)[i]))
			(*array)[kept++] = (*array)[i];
	*count = kept;
}
