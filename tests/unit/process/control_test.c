// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The control socket: what one client may cost in a turn of the loop */
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "loop/sock.h"
#include "process/control.h"
#include "process/device.h"
#include "unit.h"

#define REQUESTS 100
#define HANG_SECONDS 60

struct world {
	struct device device;
	struct control *control;
	char dir[32];
	char path[64];
	int client;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct sockaddr_un address;

	assert_non_null(w);
	/* End a turn that sleeps because it has nothing to do */
	alarm(HANG_SECONDS);
	strcpy(w->dir, "/tmp/ornic-unit-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->path, sizeof(w->path), "%s/control", w->dir);
	assert_int_equal(loop_init(&w->device.loop, 0), 0);
	assert_int_equal(control_create(&w->device, w->path, &w->control), 0);
	w->client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(sock_address(w->path, &address), 0);
	assert_int_equal(connect(w->client, (struct sockaddr *)&address,
				 sizeof(address)), 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	close(w->client);
	control_destroy(w->control);
	loop_uninit(&w->device.loop);
	assert_int_equal(rmdir(w->dir), 0);
	free(w);
	alarm(0);
	return 0;
}

static void request(struct world *w, const char *text)
{
	assert_int_equal(send(w->client, text, strlen(text), MSG_NOSIGNAL),
			 strlen(text));
}

/* Run a turn and return the number of answers that arrived in it */
static unsigned int answers(struct world *w)
{
	struct pollfd poll_fd = { .fd = w->client, .events = POLLIN };
	unsigned int count = 0;
	char bytes[4096];
	ssize_t got, i;

	assert_int_equal(loop_turn(&w->device.loop), 0);
	while (poll(&poll_fd, 1, 0) == 1) {
		got = recv(w->client, bytes, sizeof(bytes), 0);
		assert_true(got > 0);
		for (i = 0; i < got; i++)
			count += bytes[i] == '\n';
	}
	return count;
}

TEST(test_one_request_in_a_turn, struct world *w, IN_OWN)
{
	unsigned int i, count, total = 0;

	for (i = 0; i < REQUESTS; i++)
		request(w, "stats\n");
	while (total < REQUESTS) {
		count = answers(w);
		assert_true(count <= 1);
		total += count;
	}
}

/* The rest of a request comes later than the request before it */
TEST(test_request_in_pieces, struct world *w, IN_OWN)
{
	unsigned int total = 0;

	request(w, "fault\nfault\nfau");
	while (total < 2)
		total += answers(w);
	request(w, "lt\n");
	while (total < 3)
		total += answers(w);
	request(w, "stats\n");
	while (total < 4)
		total += answers(w);
}

TEST_MAIN("control")
