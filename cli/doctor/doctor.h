/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of `waymark doctor`; each writes into the report. */
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

/* Emulators and plugins, and a trial of both. */
void doctor_emulators(void);

/* The kernel, limits, disks, and programs that help with reading. */
void doctor_system(void);

#endif
