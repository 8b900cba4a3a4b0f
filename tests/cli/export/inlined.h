/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that is inlined from another file. */
static inline __attribute__((always_inline)) unsigned mixed(unsigned x)
{
	x ^= x >> 7;
	return x * 2654435761u;
}
