// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fuzz target: the vfio-user socket. The input chooses the messages of one
 * client, their descriptors, and where they are cut. Another client of the same
 * process has secret memory, and gets a reply within two turns of the loop while
 * its share lasts.
 */
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/state.h"
#include "client.h"
#include "fuzz.h"
#include "secret.h"
#include "still.h"
#include "target.h"

#define MESSAGE_MAX 2048
#define ENTRIES 24
#define FDS 4
#define FDS_MAX 20
#define FILE_SIZE (16 * HOST_PAGE)
#define SECRET_ADDR (1ULL << 36)
/* Resets in one turn: one by the client, one as it leaves */
#define RESETS_MAX 2
/* Turns until others have used up their shares, each of at least one step */
#define POSTPONED_MAX (SHARE_CREDIT_NS / STILL_STEP_NS)

static struct world *w;
static struct fuzz fuzz;
/*
 * Descriptors that the client sends: memory, an eventfd, one that is neither,
 * and an eventfd on which a write would block for ever
 */
static int fds[FDS];

/* ---- the other client ---- */

static void neighbour_begin(void)
{
	struct vfio_user_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_USER_MAP_READ | VFIO_USER_MAP_WRITE,
		.iova = SECRET_ADDR,
		.size = SECRET_SIZE,
	};

	assert_int_equal(client_request(w, w->client[1], VFIO_USER_DMA_MAP,
					&map, sizeof(map), secret_fd()), 0);
}

/*
 * One client must not make another one wait. Turns in which the other one has
 * used up its own share do not count, and they end.
 */
static void neighbour_ask(void)
{
	struct vfio_user_region_access access = { .count = 4 };
	unsigned int turns = 0, postponed = 0;
	uint64_t resets;

	client_send(w->client[1], VFIO_USER_REGION_READ, 0, &access,
		    sizeof(access), -1);
	while (!client_readable(w->client[1])) {
		resets = w->slot[0]->card->resets;
		assert_int_equal(loop_turn(&w->loop), 0);
		assert_true(w->slot[0]->card->resets - resets <= RESETS_MAX);
		if (w->slot[1]->share.credit_ns > 0)
			assert_true(turns++ < 2);
		else
			assert_true(postponed++ < POSTPONED_MAX);
	}
	assert_int_equal(client_reply(w->client[1], VFIO_USER_REGION_READ,
				      NULL, 0), 0);
}

/* ---- messages ---- */

/* The payload of a message that is likely to be valid; returns its length */
static size_t fill_map(struct fuzz *f, void *payload)
{
	struct vfio_user_dma_map map = {
		.argsz = sizeof(map),
		.flags = below(f, 4),
		.offset = below(f, 16) * HOST_PAGE,
		.iova = below(f, 64) * HOST_PAGE,
		.size = (1 + below(f, 16)) * HOST_PAGE,
	};

	memcpy(payload, &map, sizeof(map));
	return sizeof(map);
}

static size_t fill_unmap(struct fuzz *f, void *payload)
{
	struct vfio_user_dma_unmap unmap = { .argsz = sizeof(unmap) };

	if (one_in(f, 4)) {
		unmap.flags = VFIO_USER_UNMAP_ALL;
	} else {
		unmap.iova = below(f, 64) * HOST_PAGE;
		unmap.size = (1 + below(f, 64)) * HOST_PAGE;
	}
	memcpy(payload, &unmap, sizeof(unmap));
	return sizeof(unmap);
}

/* @count descriptors become eventfds, or as many interrupts are triggered */
static size_t fill_irqs(struct fuzz *f, void *payload, unsigned int *count)
{
	struct vfio_user_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_USER_IRQ_TRIGGER | 1u << below(f, 3),
		.index = one_in(f, 8) ? below(f, 6) : VFIO_USER_IRQ_MSIX,
		.start = one_in(f, 4) ? below(f, 4) : 0,
		.count = *count,
	};

	if (!(set.flags & VFIO_USER_IRQ_DATA_EVENTFD))
		*count = 0;
	memcpy(payload, &set, sizeof(set));
	return sizeof(set) + below(f, 4);
}

static uint64_t any_offset(struct fuzz *f, unsigned int region)
{
	if (region == VFIO_USER_REGION_CONFIG)
		return below(f, 256);
	return below(f, 0x2100) & ~7ULL;
}

static unsigned int any_region(struct fuzz *f)
{
	static const uint8_t regions[] = {
		ORNIC_BAR_REGS, ORNIC_BAR_DB, VFIO_USER_REGION_CONFIG,
	};

	return one_in(f, 8) ? below(f, 12) : regions[below(f, 3)];
}

static size_t fill_access(struct fuzz *f, void *payload, bool write)
{
	struct vfio_user_region_access access = { .region = any_region(f) };

	access.offset = any_offset(f, access.region);
	access.count = 1u << below(f, 4);
	memcpy(payload, &access, sizeof(access));
	return sizeof(access) + (write ? access.count : 0);
}

static size_t fill_multi(struct fuzz *f, void *payload)
{
	struct vfio_user_write_multi head = { .count = below(f, ENTRIES) };
	struct vfio_user_write_entry *entry = (void *)((char *)payload +
						       sizeof(head));
	unsigned int i;

	memcpy(payload, &head, sizeof(head));
	for (i = 0; i < head.count; i++) {
		unsigned int region = any_region(f);
		uint64_t val = one_in(f, 2) ? below(f, 16) : odd(f);

		entry[i] = (struct vfio_user_write_entry){
			.offset = any_offset(f, region),
			.region = region,
			.count = 1u << below(f, 4),
		};
		memcpy(entry[i].data, &val, sizeof(val));
	}
	return sizeof(head) + head.count * sizeof(*entry);
}

static size_t fill(struct fuzz *f, unsigned int cmd, void *payload,
		   unsigned int *count)
{
	switch (cmd) {
	case VFIO_USER_VERSION:
		memcpy((char *)payload + sizeof(struct vfio_user_version), "{}",
		       3);
		return sizeof(struct vfio_user_version) + 3;
	case VFIO_USER_DMA_MAP:
		return fill_map(f, payload);
	case VFIO_USER_DMA_UNMAP:
		return fill_unmap(f, payload);
	case VFIO_USER_DEVICE_SET_IRQS:
		return fill_irqs(f, payload, count);
	case VFIO_USER_REGION_READ:
		return fill_access(f, payload, false);
	case VFIO_USER_REGION_WRITE:
		return fill_access(f, payload, true);
	case VFIO_USER_REGION_WRITE_MULTI:
		return fill_multi(f, payload);
	case VFIO_USER_DEVICE_GET_INFO:
	case VFIO_USER_DEVICE_GET_REGION_INFO:
	case VFIO_USER_DEVICE_GET_IRQ_INFO:
		memcpy(payload, &(uint32_t){ 64 }, sizeof(uint32_t));
		return cmd == VFIO_USER_DEVICE_GET_REGION_INFO ?
		       sizeof(struct vfio_user_region_info) :
		       sizeof(struct vfio_user_device_info);
	default:
		return 0;
	}
}

static void reconnect(void)
{
	close(w->client[0]);
	w->client[0] = client_connect(w, 0);
	/* Accept it: the queue of the listener is short */
	assert_int_equal(loop_turn(&w->loop), 0);
	if (!one_in(&fuzz, 4))
		client_begin(w, w->client[0]);
}

/* Send bytes with descriptors; the card may have closed the connection */
static void put(const void *bytes, size_t len, const int *list,
		unsigned int count)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control = {};
	struct iovec iov = {
		.iov_base = (void *)(uintptr_t)bytes,
		.iov_len = len,
	};
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg;

	if (count) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(count * sizeof(int));
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(cmsg), list, count * sizeof(int));
	}
	if (sendmsg(w->client[0], &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
	    errno != EAGAIN)
		reconnect();
}

static unsigned int pick_fds(struct fuzz *f, unsigned int cmd, int *list)
{
	unsigned int count = 0, i;

	if (cmd == VFIO_USER_DMA_MAP)
		count = !one_in(f, 8);
	else if (cmd == VFIO_USER_DEVICE_SET_IRQS)
		count = below(f, 3);
	if (one_in(f, 16))
		count = below(f, FDS_MAX + 1);
	for (i = 0; i < count; i++)
		list[i] = fds[one_in(f, 8) ? below(f, FDS) :
			      cmd == VFIO_USER_DEVICE_SET_IRQS];
	return count;
}

static void send_message(struct fuzz *f)
{
	uint8_t message[MESSAGE_MAX] = {};
	struct vfio_user_header header = { .id = 7, .cmd = below(f, 17) };
	int list[FDS_MAX];
	unsigned int count = pick_fds(f, header.cmd, list);
	size_t len;

	len = fill(f, header.cmd, message + sizeof(header), &count);
	if (len && one_in(f, 4))
		scribble(f, message + sizeof(header), len);
	len += sizeof(header);
	header.size = one_in(f, 32) ? odd(f) : len;
	header.flags = one_in(f, 4) ? VFIO_USER_NO_REPLY : 0;
	if (one_in(f, 32))
		scribble(f, &header, sizeof(header));
	memcpy(message, &header, sizeof(header));
	if (one_in(f, 8))
		len = 1 + below(f, len);
	put(message, len, list, count);
}

/* ---- the target ---- */

/* Read replies: nothing of the other client is in them */
static void take_replies(void)
{
	static uint8_t bytes[1 << 16];
	ssize_t got;

	while ((got = recv(w->client[0], bytes, sizeof(bytes),
			   MSG_DONTWAIT)) > 0)
		if (secret_is_in(bytes, got))
			fail_msg("a reply has secret memory");
	if (!got)
		reconnect();
}

static void step(struct fuzz *f)
{
	uint64_t raw;

	switch (below(f, 16)) {
	case 0:
		/* The rest of the stream means something else after that */
		if (!one_in(f, 8))
			break;
		raw = rnd(f);
		put(&raw, 1 + below(f, 8), NULL, 0);
		break;
	case 1:
		reconnect();
		break;
	case 2:
		/* A client may shrink a file that the card has mapped */
		assert_int_equal(ftruncate(fds[0], one_in(f, 2) ? FILE_SIZE :
					   below(f, 16) * HOST_PAGE), 0);
		break;
	default:
		send_message(f);
	}
	if (one_in(f, 2))
		neighbour_ask();
	if (!one_in(f, 8))
		take_replies();
}

void target_init(void)
{
	static const uint64_t full = UINT64_MAX - 1;

	secret_init();
	fds[0] = memfd_create("file", MFD_CLOEXEC);
	fds[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fds[2] = dup(0);
	fds[3] = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(write(fds[3], &full, sizeof(full)), sizeof(full));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz *f = &fuzz;
	void *state;

	still_begin();
	assert_int_equal(mem_guard_install(), 0);
	assert_int_equal(ftruncate(fds[0], 0), 0);
	assert_int_equal(ftruncate(fds[0], FILE_SIZE), 0);
	world_setup(&state);
	w = state;
	neighbour_begin();
	memset(f, 0, sizeof(*f));
	f->window = 0;
	f->window_len = FILE_SIZE;
	f->input = data;
	f->left = len;
	while (f->left)
		step(f);
	state = w;
	world_teardown(&state);
	secret_check();
	return 0;
}
