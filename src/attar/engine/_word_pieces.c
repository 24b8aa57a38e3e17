/* WordPiece: texts to the ids of their pieces. What becomes of each character is asked of the tokenizer beforehand and
   stands in pages of 256; a text with a character of a page that is not there yet is left to the caller. */

#include <string.h>

#include "_team.h"

#define ROOM 4096  /* bytes of a word that is not unknown for its length */
#define INLINE 13  /* bytes that a character can become */
#define PAD 8      /* bytes that may be read, and do not count, behind a word and behind the last piece */
#define FIRST 0    /* where in a word a piece stands */
#define INSIDE 1

enum kind { NOTHING, LETTER, SPACE, ALONE, ASK };

typedef struct {
    uint8_t kind, bytes, characters, becomes[INLINE];
} character;

typedef struct {
    uint64_t begins; /* with these eight bytes at most */
    uint32_t size;   /* in bytes, twice, plus where it stands; 0 where there is none */
    int32_t id;
} slot;

typedef struct {
    const slot *slots;
    int64_t slots_mask;
    const uint8_t *letters; /* of all pieces, end to end, and PAD */
    const int64_t *starts;  /* (V + 1) */
    const uint8_t *longest; /* (2, 256) bytes of the longest piece with this first byte: first in a word, and inside */
    const int32_t *pages;   /* (0x1100) where a page stands among the characters, or -1 */
    const character *characters;
    const uint8_t *plain; /* (256) what one byte becomes that is a character, a letter, and one byte again; else 0 */
    int64_t prefix;  /* bytes before a piece that continues a word */
    int64_t unknown; /* id */
    int64_t most;    /* characters of a word, at most ROOM / 4; longer ones are unknown */
} vocabulary;

/* Up to eight bytes as a number. */
static inline uint64_t eight(const uint8_t *bytes, int64_t n) {
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return n >= 8 ? number : number & ~(~(uint64_t)0 << 8 * n);
}

static inline uint64_t hash_of(const uint8_t *bytes, int64_t n, int64_t where) {
    uint64_t hash = (uint64_t)(2 * n + where) * 0x9e3779b97f4a7c15u;
    for (; n > 0; n -= 8, bytes += 8) {
        hash = (hash ^ eight(bytes, n)) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
    }
    return hash;
}

static inline int same(const uint8_t *a, const uint8_t *b, int64_t n) {
    for (; n > 0; n -= 8, a += 8, b += 8)
        if (eight(a, n) != eight(b, n)) return 0;
    return 1;
}

/* The id of a piece, or -1. */
static inline int32_t find(const vocabulary *v, const uint8_t *word, int64_t n, int64_t where) {
    const uint64_t mask = (uint64_t)v->slots_mask, begins = eight(word, n);
    const uint32_t size = (uint32_t)(2 * n + where);
    for (uint64_t at = hash_of(word, n, where) & mask;; at = (at + 1) & mask) {
        const slot *s = v->slots + at;
        if (!s->size) return -1;
        if (s->begins != begins || s->size != size) continue;
        if (n <= 8) return s->id;
        const int64_t rest = v->starts[s->id] + (where == INSIDE ? v->prefix : 0) + 8;
        if (same(v->letters + rest, word + 8, n - 8)) return s->id;
    }
}

static void put(slot *slots, uint64_t mask, const uint8_t *piece, int64_t n, int64_t where, int64_t id) {
    uint64_t at = hash_of(piece, n, where) & mask;
    while (slots[at].size) at = (at + 1) & mask;
    slots[at] = (slot){eight(piece, n), (uint32_t)(2 * n + where), (int32_t)id};
}

static inline void keep_longest(uint8_t *longest, int64_t size) {
    if (*longest < size) *longest = (uint8_t)size;
}

/* Enters all pieces, of less than 256 bytes, into slots of zeros, a power of two and at least twice as many as are
   entered; also the longest sizes. An empty piece is an id without one.
   Shape: letters (all bytes + PAD), starts (n + 1), prefix (n_prefix), slots (n_slots), longest (2, 256) of zeros */
void attar_word_piece_slots(const uint8_t *letters, const int64_t *starts, int64_t n, const uint8_t *prefix,
                            int64_t n_prefix, void *slots, int64_t n_slots, uint8_t *longest) {
    const uint64_t mask = (uint64_t)n_slots - 1;
    for (int64_t id = 0; id < n; id++) {
        const uint8_t *piece = letters + starts[id];
        const int64_t size = starts[id + 1] - starts[id];
        if (!size) continue;
        put(slots, mask, piece, size, FIRST, id);
        keep_longest(longest + piece[0], size);
        const int64_t left = size - n_prefix;
        if (left <= 0 || memcmp(piece, prefix, (size_t)n_prefix)) continue;
        put(slots, mask, piece + n_prefix, left, INSIDE, id);
        keep_longest(longest + 256 + piece[n_prefix], left);
    }
}

/* The longest piece first, again and again; a word that does not come out even is one unknown token. */
static int32_t *split(const vocabulary *v, const uint8_t *word, int64_t n, int32_t *out) {
    int32_t *const first = out;
    for (int64_t from = 0; from < n;) {
        const int64_t where = from ? INSIDE : FIRST, longest = v->longest[256 * where + word[from]];
        int64_t size = n - from < longest ? n - from : longest;
        int32_t id = -1;
        for (; size > 0 && (id = find(v, word + from, size, where)) < 0; size--) {}
        if (id < 0) {
            *first = (int32_t)v->unknown;
            return first + 1;
        }
        *out++ = id;
        from += size;
    }
    return out;
}

static inline uint32_t next_character(const uint8_t **at) {
    const uint8_t *p = *at;
    if (p[0] < 0x80) {
        *at = p + 1;
        return p[0];
    }
    if (p[0] < 0xe0) {
        *at = p + 2;
        return (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
    }
    if (p[0] < 0xf0) {
        *at = p + 3;
        return (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
    }
    *at = p + 4;
    return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 | (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
}

typedef struct {
    uint8_t letters[ROOM + PAD];
    int64_t bytes, characters;
} word;

static inline void add(word *w, const character *c) {
    for (int i = 0; i < c->bytes; i++) w->letters[w->bytes++] = c->becomes[i];
}

static inline int32_t *end_word(const vocabulary *v, word *w, int32_t *out) {
    if (!w->characters) return out;
    const int32_t whole = w->characters > v->most ? (int32_t)v->unknown : find(v, w->letters, w->bytes, FIRST);
    if (whole >= 0)
        *out++ = whole;
    else
        out = split(v, w->letters, w->bytes, out);
    w->bytes = w->characters = 0;
    return out;
}

/* The ids of one text, which ends with a zero, at most as many as it has bytes. Their number, or -1 where somebody else
   must read it. */
static int64_t read_text(const vocabulary *v, const uint8_t *at, int32_t *ids, uint8_t *missing) {
    word w;
    w.bytes = w.characters = 0;
    int32_t *out = ids;
    int is_read = 1;
    const uint8_t *plain = v->plain;
    const character *ascii = v->characters + (int64_t)v->pages[0] * 256;
    for (;;) {
        const int64_t left = v->most - w.characters;
        int64_t n = 0;
        for (uint8_t letter; (letter = plain[at[n]]) && n < left; n++) w.letters[w.bytes + n] = letter;
        at += n, w.bytes += n, w.characters += n;
        const character *c;
        if (!*at) {
            out = end_word(v, &w, out);
            return is_read ? out - ids : -1;
        }
        if (*at < 0x80) {
            c = ascii + *at++;
        } else {
            const uint32_t code = next_character(&at);
            const int32_t page = v->pages[code >> 8];
            if (page < 0) { /* go on, to mark all that are missed */
                missing[code >> 8] = 1;
                is_read = 0;
                continue;
            }
            c = v->characters + (int64_t)page * 256 + (code & 255);
        }
        if (c->kind == LETTER) {
            w.characters += c->characters;
            if (w.characters <= v->most) add(&w, c);
        } else if (c->kind == SPACE) {
            out = end_word(v, &w, out);
        } else if (c->kind == ALONE) {
            out = end_word(v, &w, out);
            add(&w, c);
            w.characters = c->characters;
            out = end_word(v, &w, out);
        } else if (c->kind == ASK) {
            return -1;
        }
    }
}

typedef struct {
    const vocabulary *v;
    const uint8_t *text;
    const int64_t *starts; /* (n + 1) of texts; between two of them is one byte */
    int64_t n, share;
    int32_t *ids;
    int64_t *lengths;
    uint8_t *missing;
} reading;

static void read_some(const void *given, int64_t part) {
    const reading *job = given;
    const int64_t from = part * job->share, to = from + job->share < job->n ? from + job->share : job->n;
    int32_t *out = job->ids + job->starts[from];
    for (int64_t n = from; n < to; n++) {
        const int64_t length = read_text(job->v, job->text + job->starts[n], out, job->missing);
        job->lengths[n] = length;
        if (length > 0) out += length;
    }
}

/* The ids of n texts in UTF-8, each followed by a byte of zero, one after the other in ids, (bytes), and how many each has:
   -1, and no ids, of one that somebody else must read. Marks the pages that were missed. How many ids there are, or -1
   where there are not n texts. Shape: text (bytes), starts (n + 1), ids (bytes), lengths (n), missing (0x1100) */
int64_t attar_word_pieces(const void *given, const uint8_t *text, int64_t bytes, int64_t n, int64_t *starts, int32_t *ids,
                          int64_t *lengths, uint8_t *missing, int64_t members) {
    const vocabulary *v = given;
    const uint8_t *at = text, *const end = text + bytes;
    for (int64_t i = 0; i < n; i++) {
        starts[i] = at - text;
        const uint8_t *zero = at < end ? memchr(at, 0, (size_t)(end - at)) : 0;
        if (!zero) return -1;
        at = zero + 1;
    }
    if (at != end) return -1;
    starts[n] = bytes;
    const int64_t parts = bytes < 20000 ? 1 : members * 4, share = n / parts + 1, used = (n + share - 1) / share;
    const reading job = {v, text, starts, n, share, ids, lengths, missing};
    attar_share(read_some, &job, used, members);
    int64_t total = 0;
    for (int64_t part = 0; part < used; part++) {
        const int64_t from = part * share, to = from + share < n ? from + share : n;
        int64_t size = 0;
        for (int64_t i = from; i < to; i++) size += lengths[i] > 0 ? lengths[i] : 0;
        if (total != starts[from]) memmove(ids + total, ids + starts[from], (size_t)size * sizeof(int32_t));
        total += size;
    }
    return total;
}
