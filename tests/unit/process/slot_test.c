// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Interrupts and messages of a card with a real client */
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/state.h"
#include "client.h"

static void raise_irq(struct world *w)
{
	client_write(w, w->client[0], ORNIC_BAR_REGS, ORNIC_REG_IRQ_TEST, 0, 4);
}

TEST(test_irq_counts_once, struct world *w, IN(world_setup, world_teardown))
{
	struct slot *slot = w->slot[0];
	eventfd_t fired;
	int ends[2];

	/* No eventfd */
	raise_irq(w);
	assert_int_equal(slot->stats.irqs, 0);
	assert_int_equal(slot->stats.irqs_dropped, 1);

	slot->irq_fd[0] = eventfd(0, EFD_NONBLOCK);
	raise_irq(w);
	assert_int_equal(eventfd_read(slot->irq_fd[0], &fired), 0);
	assert_int_equal(slot->stats.irqs, 1);
	assert_int_equal(slot->stats.irqs_dropped, 1);
	close(slot->irq_fd[0]);

	/* A descriptor that cannot be fired */
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	slot->irq_fd[0] = ends[1];
	raise_irq(w);
	assert_int_equal(slot->stats.irqs, 1);
	assert_int_equal(slot->stats.irqs_dropped, 2);
}

/* A client that causes many messages does not suppress those of another one */
TEST(test_each_card_has_a_limit_of_messages, struct world *w, IN(world_setup, world_teardown))
{
	int null = open("/dev/null", O_WRONLY), err = dup(STDERR_FILENO);
	unsigned int i;

	assert_true(null >= 0 && err >= 0);
	dup2(null, STDERR_FILENO);
	for (i = 0; i < 2 * LOG_BURST; i++)
		env_log(&w->slot[0]->env, ENV_LOG_ERR, "flood");
	env_log(&w->slot[1]->env, ENV_LOG_ERR, "only one");
	dup2(err, STDERR_FILENO);
	close(null);
	close(err);
	assert_int_equal(w->slot[0]->limit.dropped, LOG_BURST);
	assert_int_equal(w->slot[1]->limit.dropped, 0);
	assert_int_equal(w->slot[1]->limit.used, 1);
}

/* A card without room for a completion looks for doorbells that it has not read */
TEST(test_unread_messages, struct world *w, IN(world_setup, world_teardown))
{
	struct env *env = &w->slot[0]->env;
	struct vfio_user_device_info info = { .argsz = sizeof(info) };

	assert_false(env_unread(env));
	client_send(w->client[0], VFIO_USER_DEVICE_GET_INFO, 0, &info,
		    sizeof(info), -1);
	assert_true(env_unread(env));
	assert_false(env_unread(&w->slot[1]->env));
	client_wait(w, w->client[0]);
	assert_false(env_unread(env));
}

TEST_MAIN("slot")
