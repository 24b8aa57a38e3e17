/* Threads that help with one product after the other: they look for the next one for a moment before they sleep, since
   waking a thread takes as long as a small product. Who is never woken in time is not waited for: parts are taken, not
   given out. */

#include "_team.h"

#if defined(_WIN32)
void attar_share(part_of_work *work, const void *job, int64_t parts, int64_t members) {
    (void)members;
    for (int64_t part = 0; part < parts; part++) work(job, part);
}
#else
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define MOST 64          /* threads */
#define AWAKE 100000     /* nanoseconds that a helper looks for more */
#define PATIENCE 100000  /* nanoseconds, beyond what this thread's parts took, that a helper may be late before the processor is offered to others */
#define REST 1000000     /* nanoseconds without helpers after one was late: something else runs on its core. Twice as */
#define LONGEST 50000000 /* many each time that it is late again at once */

/* The piece of work. `ticket` holds its number above, and below the next part to take; it is closed while the rest is
   written, so that a helper that has read anything of another piece can't take a part of this one. */
static _Atomic uint64_t ticket;
static _Atomic(part_of_work *) the_work;
static _Atomic(const void *) the_job;
static _Atomic int64_t the_parts, the_members, done;
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER, bed = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static _Atomic int64_t asleep;
static int64_t helpers, rests_until, rest = REST;
static int watching_forks;

#define CLOSED UINT32_MAX

static inline void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* One part, if there is one for this member. */
static int take(int64_t member) {
    uint64_t seen = atomic_load(&ticket);
    for (;;) {
        uint32_t part = (uint32_t)seen;
        if (part == CLOSED) return 0;
        part_of_work *work = atomic_load(&the_work);
        const void *job = atomic_load(&the_job);
        if ((int64_t)part >= atomic_load(&the_parts) || member >= atomic_load(&the_members)) return 0;
        if (atomic_compare_exchange_weak(&ticket, &seen, seen + 1)) {
            work(job, part);
            atomic_fetch_add(&done, 1);
            return 1;
        }
    }
}

static int is_open(int64_t member) {
    uint32_t part = (uint32_t)atomic_load(&ticket);
    return part != CLOSED && (int64_t)part < atomic_load(&the_parts) && member < atomic_load(&the_members);
}

static void *help(void *given) {
    const int64_t member = (int64_t)(intptr_t)given;
    int64_t since = now();
    for (;;) {
        if (take(member)) {
            since = now();
            continue;
        }
        for (int i = 0; i < 16; i++) breathe();
        if (now() - since < AWAKE) continue;
        pthread_mutex_lock(&bed);
        atomic_fetch_add(&asleep, 1);
        while (!is_open(member)) pthread_cond_wait(&woken, &bed);
        atomic_fetch_sub(&asleep, 1);
        pthread_mutex_unlock(&bed);
        since = now();
    }
    return 0;
}

/* A child process has none of the threads, and locks in whatever state they were. */
static void start_over(void) {
    pthread_mutex_init(&busy, 0);
    pthread_mutex_init(&bed, 0);
    pthread_cond_init(&woken, 0);
    atomic_store(&asleep, 0);
    atomic_store(&ticket, CLOSED);
    helpers = 0;
}

static void hire(int64_t wanted) {
    if (!watching_forks) watching_forks = !pthread_atfork(0, 0, start_over);
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (pthread_t thread; helpers < wanted && helpers < MOST; helpers++)
        if (pthread_create(&thread, &detached, help, (void *)(intptr_t)(helpers + 1))) break;
    pthread_attr_destroy(&detached);
}

static void alone(part_of_work *work, const void *job, int64_t parts) {
    for (int64_t part = 0; part < parts; part++) work(job, part);
}

void attar_share(part_of_work *work, const void *job, int64_t parts, int64_t members) {
    if (parts <= 1 || members <= 1 || pthread_mutex_trylock(&busy)) {
        alone(work, job, parts);
        return;
    }
    if (now() < rests_until) {
        pthread_mutex_unlock(&busy);
        alone(work, job, parts);
        return;
    }
    if (helpers < members - 1) hire(members - 1);
    uint64_t number = (atomic_load(&ticket) >> 32) + 1;
    atomic_store(&ticket, number << 32 | CLOSED);
    atomic_store(&the_work, work);
    atomic_store(&the_job, job);
    atomic_store(&the_parts, parts);
    atomic_store(&the_members, members);
    atomic_store(&done, 0);
    atomic_store(&ticket, number << 32);
    if (atomic_load(&asleep)) {
        pthread_mutex_lock(&bed);
        pthread_cond_broadcast(&woken);
        pthread_mutex_unlock(&bed);
    }
    const int64_t begun = now();
    while (take(0)) {}
    const int64_t since = now(), own = since - begun;
    int late = 0;
    while (atomic_load(&done) < parts) {
        int64_t time = now();
        if (time - since < own + PATIENCE) {
            for (int i = 0; i < 4; i++) breathe();
        } else {
            late = 1;
            sched_yield();
        }
    }
    if (late) {
        rests_until = now() + rest;
        rest = 2 * rest < LONGEST ? 2 * rest : LONGEST;
    } else {
        rest = REST;
    }
    pthread_mutex_unlock(&busy);
}
#endif
