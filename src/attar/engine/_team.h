/* Parts of one piece of work, shared by threads that wait for it ready to run. */
#ifndef ATTAR_TEAM
#define ATTAR_TEAM

#include <stdint.h>

typedef void part_of_work(const void *job, int64_t part);

/* All parts once, in any order, by this thread and up to members - 1 others; returns when all are done. Whoever finds
   the team at work for another thread does everything alone. */
void attar_share(part_of_work *work, const void *job, int64_t parts, int64_t members);

#endif
