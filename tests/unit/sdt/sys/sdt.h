/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instead of SystemTap's: what a probe would be given goes to a function of the test. */
#ifndef TESTS_SDT_H
#define TESTS_SDT_H

void probe_fired(const char *name, ...);
#define STAP_PROBEV(provider, ...) PROBE_NAMED(__VA_ARGS__, 0)
#define PROBE_NAMED(name, ...) probe_fired(#name, __VA_ARGS__)

#endif
