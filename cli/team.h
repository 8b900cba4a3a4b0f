/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The MPI job that this process is one of, if any. */
#ifndef CLI_TEAM_H
#define CLI_TEAM_H

#include "query/team.h"

/*
 * Called before a command that answers: of a job, only the first process says what is wrong
 * with its command line. When the command does not share its work, the others end here.
 */
void team_enter(bool shares);

/*
 * Joins the job, the first time; NULL: the process was started alone. A process that is not of
 * rank 0 writes no answer, no file, no progress and no remarks from now on. Ends the process when MPI
 * was used to start it, but this build has no module for it.
 */
const struct team *team_of_job(void);

/*
 * For a command that one process answers by itself: those of other ranks end here. It does not
 * need MPI.
 */
void team_leave_to_first(void);

#endif
