/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where things are in the Linux kernel of a guest machine: addresses of functions, and
 * offsets of members in its structs. The recorder finds them in files (collect/layout.h);
 * the plugin uses them (plugin/system/linux.h).
 */
#ifndef FORMAT_GUEST_LINUX_H
#define FORMAT_GUEST_LINUX_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Which groups of format/guest_linux.def are known. Each needs those before it; the last
 * ones need threads only.
 */
enum guest_knows {
	GUEST_THREADS = 1,
	GUEST_PROCESSES = 2,
	GUEST_MAPPINGS = 4,
	GUEST_MODULES = 8,
	GUEST_IRQS = 16,
	GUEST_STARTS = 32,
	GUEST_BPF = 64,
	/* No message says that these are not known. */
	GUEST_EXTRAS = GUEST_IRQS | GUEST_STARTS | GUEST_BPF,
	GUEST_ALONE = GUEST_MODULES | GUEST_EXTRAS,
};

enum guest_symbol {
#define GUEST_SYMBOL(what, name, text) GUEST_AT_##name,
#define GUEST_MEMBER(what, name, record, member, other)
#include "format/guest_linux.def"
#undef GUEST_SYMBOL
#undef GUEST_MEMBER
	GUEST_SYMBOLS
};

enum guest_member {
#define GUEST_SYMBOL(what, name, text)
#define GUEST_MEMBER(what, name, record, member, other) GUEST_##name,
#include "format/guest_linux.def"
#undef GUEST_SYMBOL
#undef GUEST_MEMBER
	GUEST_MEMBERS
};

struct guest_linux {
	uint32_t knows; /* enum guest_knows; 0: what runs in the machine is not followed */
	uint32_t off[GUEST_MEMBERS];
	uint64_t at[GUEST_SYMBOLS];
};

#endif
