// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The cost of one client in one turn of the loop. The tests count work, not
 * time: however much a client requests at once, another client waits for one
 * turn.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "base/state.h"
#include "client.h"

#define ENTRIES 200
#define MAPS 64
#define PAGE 4096ULL
/* Initiate FLR: PCIe Device Control, bit 15 */
#define DEVCTL_HIGH 0x69

struct multi {
	struct vfio_user_write_multi head;
	struct vfio_user_write_entry entry[ENTRIES];
};

static size_t fill_multi(struct multi *multi, unsigned int region,
			 uint64_t offset, unsigned int size)
{
	unsigned int i;

	multi->head.count = ENTRIES;
	for (i = 0; i < ENTRIES; i++)
		multi->entry[i] = (struct vfio_user_write_entry){
			.offset = offset,
			.region = region,
			.count = size,
		};
	return sizeof(*multi);
}

/* Client 0 writes ENTRIES times; the first bytes alternate */
static void write_many(struct world *w, unsigned int region, uint64_t offset,
		       unsigned int size, const uint8_t byte[2], unsigned int flags)
{
	struct multi multi;
	size_t len = fill_multi(&multi, region, offset, size);
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		multi.entry[i].data[0] = byte[i % 2];
	client_send(w->client[0], VFIO_USER_REGION_WRITE_MULTI, flags, &multi, len, -1);
}

static void ask_neighbour(struct world *w)
{
	struct vfio_user_region_access access = { .count = 4 };

	client_send(w->client[1], VFIO_USER_REGION_READ, 0, &access,
		    sizeof(access), -1);
}

/* Turn until @count returns @until; each turn may add at most @most */
static void turn_and_count(struct world *w, uint64_t (*count)(struct world *w),
			   uint64_t until, uint64_t most)
{
	unsigned int turns = 0;

	ask_neighbour(w);
	while (count(w) < until) {
		uint64_t before = count(w);

		assert_int_equal(loop_turn(&w->loop), 0);
		assert_true(count(w) - before <= most);
		turns++;
		/* The first turn polls the sockets at the latest */
		assert_true(turns < 2 || client_readable(w->client[1]));
	}
	assert_int_equal(count(w), until);
	assert_int_equal(client_reply(w->client[1], VFIO_USER_REGION_READ,
				      NULL, 0), 0);
}

static uint64_t resets(struct world *w)
{
	return w->slot[0]->card->resets;
}

TEST(test_resets_by_register, struct world *w, IN(world_setup, world_teardown))
{
	uint64_t before = resets(w);
	static const uint8_t bytes[] = { ORNIC_CTRL_RESET, ORNIC_CTRL_RESET };

	write_many(w, ORNIC_BAR_REGS, ORNIC_REG_CTRL, 4, bytes, VFIO_USER_NO_REPLY);
	turn_and_count(w, resets, before + ENTRIES, 1);
}

TEST(test_resets_by_configuration_space, struct world *w, IN(world_setup, world_teardown))
{
	uint64_t before = resets(w);
	static const uint8_t bytes[] = { 0x80, 0x80 };

	write_many(w, VFIO_USER_REGION_CONFIG, DEVCTL_HIGH, 1, bytes, VFIO_USER_NO_REPLY);
	turn_and_count(w, resets, before + ENTRIES, 1);
}

TEST(test_resets_by_message, struct world *w, IN(world_setup, world_teardown))
{
	uint64_t before = resets(w);
	unsigned int i;

	for (i = 0; i < ENTRIES; i++)
		client_send(w->client[0], VFIO_USER_DEVICE_RESET,
			    VFIO_USER_NO_REPLY, NULL, 0, -1);
	turn_and_count(w, resets, before + ENTRIES, 1);
}

static uint64_t changes(struct world *w)
{
	return w->slot[0]->mem.generation;
}

TEST(test_bus_mastering_toggled, struct world *w, IN(world_setup, world_teardown))
{
	uint64_t before = changes(w);
	static const uint8_t bytes[] = { 2, 6 };

	write_many(w, VFIO_USER_REGION_CONFIG, 4, 2, bytes, VFIO_USER_NO_REPLY);
	/* Only clearing bus mastering counts */
	turn_and_count(w, changes, before + ENTRIES / 2, 1);
}

TEST(test_maps_and_unmaps, struct world *w, IN(world_setup, world_teardown))
{
	uint64_t before = changes(w);
	struct vfio_user_dma_unmap unmap = { .argsz = sizeof(unmap),
					     .size = PAGE };
	struct vfio_user_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_USER_MAP_READ | VFIO_USER_MAP_WRITE,
		.size = PAGE,
	};
	int fd = memfd_create("guest", MFD_CLOEXEC);
	unsigned int i;

	assert_int_equal(ftruncate(fd, PAGE), 0);
	for (i = 0; i < MAPS; i++) {
		client_send(w->client[0], VFIO_USER_DMA_MAP,
			    VFIO_USER_NO_REPLY, &map, sizeof(map), fd);
		client_send(w->client[0], VFIO_USER_DMA_UNMAP,
			    VFIO_USER_NO_REPLY, &unmap, sizeof(unmap), -1);
	}
	turn_and_count(w, changes, before + 2 * MAPS, 8);
	close(fd);
}

static uint64_t scratch(struct world *w)
{
	return w->slot[0]->card->regs.val[ORNIC_REG_SCRATCH / 4];
}

/* [ORNIC-BUS-2]: three messages: in order, each write once, and one reply */
TEST(test_writes_to_registers, struct world *w, IN(world_setup, world_teardown))
{
	struct multi multi;
	unsigned int i, n;
	size_t len;

	len = fill_multi(&multi, ORNIC_BAR_REGS, ORNIC_REG_SCRATCH, 4);
	for (n = 0; n < 3; n++) {
		for (i = 0; i < ENTRIES; i++) {
			uint32_t value = htole32(n * ENTRIES + i + 1);

			memcpy(multi.entry[i].data, &value, sizeof(value));
		}
		client_send(w->client[0], VFIO_USER_REGION_WRITE_MULTI,
			    n < 2 ? VFIO_USER_NO_REPLY : 0, &multi, len, -1);
	}
	turn_and_count(w, scratch, 3 * ENTRIES, VFIO_USER_TURN);
	client_wait(w, w->client[0]);
	assert_int_equal(client_reply(w->client[0],
				      VFIO_USER_REGION_WRITE_MULTI, NULL, 0),
			 0);
}

/* The writes of a client that disconnects do not affect the next one */
TEST(test_client_leaves_in_the_middle, struct world *w, IN(world_setup, world_teardown))
{
	static const uint8_t bytes[] = { ORNIC_CTRL_RESET, ORNIC_CTRL_RESET };

	write_many(w, ORNIC_BAR_REGS, ORNIC_REG_CTRL, 4, bytes, 0);
	while (!w->slot[0]->vu.unfinished)
		assert_int_equal(loop_turn(&w->loop), 0);
	close(w->client[0]);
	w->client[0] = client_connect(w, 0);
	assert_int_equal(client_version(w, w->client[0]), 0);
	assert_int_equal(w->slot[0]->vu.stats.connects, 2);
	assert_false(w->slot[0]->vu.unfinished);
}

TEST_MAIN("turn")
