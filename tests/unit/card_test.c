// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Interrupts of a card with a real client */
#include <sys/eventfd.h>
#include <unistd.h>

#include "client.h"
#include "core.h"

static void raise_irq(struct world *w)
{
	client_write(w, w->client[0], ORNIC_BAR_REGS, ORNIC_REG_IRQ_TEST, 0, 4);
}

static void test_irq_counts_once(void **state)
{
	struct world *w = *state;
	struct card *card = w->card[0];
	eventfd_t fired;
	int ends[2];

	/* No eventfd */
	raise_irq(w);
	assert_int_equal(card->stats.irqs, 0);
	assert_int_equal(card->stats.irqs_dropped, 1);

	card->irq_fd[0] = eventfd(0, EFD_NONBLOCK);
	raise_irq(w);
	assert_int_equal(eventfd_read(card->irq_fd[0], &fired), 0);
	assert_int_equal(card->stats.irqs, 1);
	assert_int_equal(card->stats.irqs_dropped, 1);
	close(card->irq_fd[0]);

	/* A descriptor that cannot be fired */
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	card->irq_fd[0] = ends[1];
	raise_irq(w);
	assert_int_equal(card->stats.irqs, 1);
	assert_int_equal(card->stats.irqs_dropped, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_irq_counts_once,
						world_setup, world_teardown),
	};

	return cmocka_run_group_tests_name("card", tests, NULL, NULL);
}
