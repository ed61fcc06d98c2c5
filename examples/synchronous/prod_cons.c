// row: correctness | | SAFE | kinduction lawi
/*
 * A producer and two consumers, as the Lustre benchmarks have them.
 *
 * The producer moves items from its stock to a buffer, two consumers take them from there. In a step at most one of the
 * three acts; in a step in which none does the buffer loses an item, if it has one.
 *
 * Processes: stock, buffer, taken_1, taken_2; each computes one flow from the values of the step before, so nothing is
 * written by two. Inputs in every step (synchronous time): who acts. The stock at the beginning is any number up to ITEMS.
 *
 * Property: `correctness`, no more is consumed than there was: no item comes from nowhere on its way through the four
 * counts.
 */
#include <syncline.h>

#define ITEMS 200

enum actor { NOBODY, PRODUCER, CONSUMER_1, CONSUMER_2 };

unsigned char actor;
unsigned char initially;
unsigned char in_stock, in_buffer, consumed_1, consumed_2;

void stock(void)
{
run:
    atomic {
        if (actor == PRODUCER && in_stock >= 1)
            in_stock = in_stock - 1;
        goto run;
    }
}

void buffer(void)
{
run:
    atomic {
        if (actor == PRODUCER) {
            if (in_stock >= 1)
                in_buffer = in_buffer + 1;
        } else if (in_buffer >= 1)
            in_buffer = in_buffer - 1;
        goto run;
    }
}

void taken_1(void)
{
run:
    atomic {
        if (actor == CONSUMER_1 && in_buffer >= 1)
            consumed_1 = consumed_1 + 1;
        goto run;
    }
}

void taken_2(void)
{
run:
    atomic {
        if (actor == CONSUMER_2 && in_buffer >= 1)
            consumed_2 = consumed_2 + 1;
        goto run;
    }
}

void environment(void)
{
    actor = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(actor <= CONSUMER_2);
}

int main(void)
{
    initially = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(initially > 0 && initially <= ITEMS);
    in_stock = initially;
    sync(stock);
    sync(buffer);
    sync(taken_1);
    sync(taken_2);
    sync_environment(environment);
    sync_time(synchronous);
    always(in_stock + in_buffer + consumed_1 + consumed_2 <= initially);
    always(consumed_1 + consumed_2 <= initially);
}
