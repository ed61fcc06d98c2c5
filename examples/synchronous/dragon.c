// row: correctness | | SAFE | kinduction lawi
/*
 * The dragon cache coherence protocol as the Lustre benchmarks have it.
 *
 * The copies of one memory line are counted: `invalid` caches have none, `exclusive` ones the only clean copy, `dirty` ones
 * the only copy, newer than the memory; `shared` ones a copy among several, `shared_dirty` the one among several that
 * has to be written back. In each step the bus serves at most one of twelve requests, whose guard is on the counts.
 *
 * Processes: one for each count; each computes its flow from the values of the step before, so nothing is written by
 * two. Inputs in every step (synchronous time): the request. The number of caches is any number up to CACHES.
 *
 * Property: `correctness`, the counts are coherent, and no cache is lost.
 */
#include <syncline.h>

#define CACHES 1000

enum request {
    NOTHING,
    READ_MISS_ALONE,
    READ_MISS,
    WRITE_EXCLUSIVE,
    WRITE_LAST_SHARED_DIRTY,
    WRITE_LAST_SHARED,
    WRITE_SHARED,
    WRITE_MISS_ALONE,
    WRITE_MISS,
    REPLACE_DIRTY,
    REPLACE_SHARED,
    REPLACE_SHARED_DIRTY,
    REPLACE_EXCLUSIVE
};

unsigned char request;
unsigned short caches;
unsigned short invalid, exclusive, shared, shared_dirty, dirty;

/* Somebody misses, and nobody has the line. */
static _Bool alone(void)
{
    return invalid >= 1 && exclusive == 0 && shared == 0 && shared_dirty == 0 && dirty == 0;
}

/* Somebody misses, and somebody else has the line. */
static _Bool supplied(void)
{
    return invalid >= 1 && exclusive + shared + shared_dirty + dirty >= 1;
}

/* At most one cache has an exclusive copy, at most one a dirty one, at most one has to write a shared one back; an exclusive
   and a dirty copy are the only ones. */
static _Bool coherent(void)
{
    return exclusive <= 1 && dirty <= 1 && shared_dirty <= 1 &&
           (exclusive == 0 || (shared == 0 && shared_dirty == 0 && dirty == 0)) &&
           (dirty == 0 || (exclusive == 0 && shared == 0 && shared_dirty == 0));
}

void count_exclusive(void)
{
run:
    atomic {
        if (request == READ_MISS_ALONE && alone())
            exclusive = exclusive + 1;
        else if ((request == READ_MISS || request == WRITE_MISS) && supplied())
            exclusive = 0;
        else if ((request == WRITE_EXCLUSIVE || request == REPLACE_EXCLUSIVE) && exclusive >= 1)
            exclusive = exclusive - 1;
        goto run;
    }
}

void count_shared(void)
{
run:
    atomic {
        if (request == READ_MISS && supplied())
            shared = shared + exclusive + 1;
        else if (request == WRITE_LAST_SHARED && shared_dirty == 0 && shared == 1)
            shared = 0;
        else if (request == WRITE_SHARED && shared_dirty + shared >= 2)
            shared = shared + shared_dirty - 1;
        else if (request == WRITE_MISS && supplied())
            shared = shared + exclusive + shared_dirty + dirty;
        else if (request == REPLACE_SHARED && shared >= 1)
            shared = shared - 1;
        goto run;
    }
}

void count_shared_dirty(void)
{
run:
    atomic {
        if (request == READ_MISS && supplied())
            shared_dirty = shared_dirty + dirty;
        else if (request == WRITE_LAST_SHARED_DIRTY && shared_dirty == 1 && shared == 0)
            shared_dirty = 0;
        else if (request == WRITE_SHARED && shared_dirty + shared >= 2)
            shared_dirty = 1;
        else if (request == WRITE_MISS && supplied())
            shared_dirty = 1;
        else if (request == REPLACE_SHARED_DIRTY && shared_dirty >= 1)
            shared_dirty = shared_dirty - 1;
        goto run;
    }
}

void count_dirty(void)
{
run:
    atomic {
        if ((request == READ_MISS || request == WRITE_MISS) && supplied())
            dirty = 0;
        else if (request == WRITE_EXCLUSIVE && exclusive >= 1)
            dirty = dirty + 1;
        else if (request == WRITE_LAST_SHARED_DIRTY && shared_dirty == 1 && shared == 0)
            dirty = dirty + 1;
        else if (request == WRITE_LAST_SHARED && shared_dirty == 0 && shared == 1)
            dirty = dirty + 1;
        else if (request == WRITE_MISS_ALONE && alone())
            dirty = dirty + 1;
        else if (request == REPLACE_DIRTY && dirty >= 1)
            dirty = dirty - 1;
        goto run;
    }
}

void count_invalid(void)
{
run:
    atomic {
        if ((request == READ_MISS_ALONE || request == WRITE_MISS_ALONE) && alone())
            invalid = invalid - 1;
        else if ((request == READ_MISS || request == WRITE_MISS) && supplied())
            invalid = invalid - 1;
        else if (request == REPLACE_DIRTY && dirty >= 1)
            invalid = invalid + 1;
        else if (request == REPLACE_SHARED && shared >= 1)
            invalid = invalid + 1;
        else if (request == REPLACE_SHARED_DIRTY && shared_dirty >= 1)
            invalid = invalid + 1;
        else if (request == REPLACE_EXCLUSIVE && exclusive >= 1)
            invalid = invalid + 1;
        goto run;
    }
}

void environment(void)
{
    request = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(request <= REPLACE_EXCLUSIVE);
}

int main(void)
{
    caches = __VERIFIER_nondet_ushort();
    __VERIFIER_assume(caches > 0 && caches <= CACHES);
    invalid = caches;
    sync(count_exclusive);
    sync(count_shared);
    sync(count_shared_dirty);
    sync(count_dirty);
    sync(count_invalid);
    sync_environment(environment);
    sync_time(synchronous);
    always(coherent());
    always(invalid + exclusive + shared + shared_dirty + dirty == caches);
}
