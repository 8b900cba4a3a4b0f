/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A standard output that does nothing to a terminal but print. */
#ifndef CLI_PLAIN_H
#define CLI_PLAIN_H

/*
 * From now on, what is printed to stdout has ? for control characters, wherever it goes: a
 * name in a trace may be made to be an order to the terminal. Listings, which do not use
 * stdio (cli/output.h), see to it themselves.
 */
void plain_stdout(void);

#endif
