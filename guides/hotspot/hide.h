/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program does not see that the JVM was given an agent. */
#ifndef GUIDES_HOTSPOT_HIDE_H
#define GUIDES_HOTSPOT_HIDE_H

/* Takes the option that loaded this agent out of what the JVM tells of its arguments. */
void hide_agent(void);

#endif
