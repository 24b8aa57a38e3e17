/* What this library was compiled from, as stamp.py names it: built.py opens it only beside those sources. */

#ifndef ATTAR_BUILT_FROM
#define ATTAR_BUILT_FROM "by hand"
#endif

const char *attar_built_from(void) { return ATTAR_BUILT_FROM; }
