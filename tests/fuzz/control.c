// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fuzz target: the control socket. The input is what a client sends; a zero byte
 * lets the program answer before the rest. Each line gets one line of JSON, up to a
 * capture, whose packets follow.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "loop/sock.h"
#include "process/cards.h"
#include "process/control.h"
#include "process/device.h"
#include "still.h"
#include "target.h"
#include "unit.h"

#define NICS 2
/* control.c closes a connection with a longer line */
#define LINE_MAX_LEN 1024
#define TURNS_MAX 10000

static struct device device;
static char dir[32], path[NICS + 1][64];
static int client = -1;
/* Complete lines that were sent, and answers */
static unsigned int lines, answers;
/* The latest answer is the one to "capture" */
static bool captured;
/* Received bytes, and their number */
static char text[1 << 18];
static size_t have;

static void connect_client(void)
{
	struct sockaddr_un address;

	client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(client >= 0);
	assert_int_equal(sock_address(path[NICS], &address), 0);
	assert_int_equal(connect(client, (struct sockaddr *)&address,
				 sizeof(address)), 0);
}

static void device_begin(void)
{
	static const char *const names[NICS] = { "nic0", "nic1" };
	unsigned int i;

	memset(&device, 0, sizeof(device));
	assert_int_equal(loop_init(&device.loop, 0), 0);
	device.options.log.level = ENV_LOG_ERR;
	strcpy(dir, "/tmp/ornic-fuzz-XXXXXX");
	assert_non_null(mkdtemp(dir));
	for (i = 0; i <= NICS; i++)
		snprintf(path[i], sizeof(path[i]), "%s/%u", dir, i);
	for (i = 0; i < NICS; i++) {
		device.options.nic[i] = (struct options_nic) {
			.path = path[i],
			.config = {
				.name = names[i],
				.mac = { 2, 0, 0, 0, 0, i },
				.vectors = 1,
			},
		};
	}
	device.options.nic_count = NICS;
	assert_int_equal(cards_create(&device), 0);
	assert_int_equal(control_create(&device, path[NICS], &device.control),
			 0);
	connect_client();
}

static void device_end(void)
{
	close(client);
	control_destroy(device.control);
	cards_destroy(&device);
	loop_uninit(&device.loop);
	assert_int_equal(rmdir(dir), 0);
}

static void check_answer(const char *line)
{
	struct json_object *json = json_tokener_parse(line);

	assert_true(json_object_is_type(json, json_type_object));
	captured = json_object_object_get_ex(json, "interfaces", NULL);
	json_object_put(json);
	answers++;
}

/* Return false if the connection was closed */
static bool take_answers(void)
{
	ssize_t got;
	char *end;

	got = recv(client, text + have, sizeof(text) - 1 - have, MSG_DONTWAIT);
	if (got == 0 || (got < 0 && errno != EAGAIN))
		return false;
	if (got > 0)
		have += got;
	text[have] = '\0';
	while (!captured && (end = memchr(text, '\n', have))) {
		*end = '\0';
		check_answer(text);
		have -= end + 1 - text;
		memmove(text, end + 1, have + 1);
	}
	assert_true(have < sizeof(text) - 1);
	return true;
}

/* Turn the loop until all complete lines are answered, or the client is cut off */
static bool answer_all(void)
{
	unsigned int turns = 0;

	do {
		assert_int_equal(loop_turn(&device.loop), 0);
		if (!take_answers())
			return false;
		assert_true(turns++ < TURNS_MAX);
	} while (!captured && answers < lines);
	assert_true(captured || answers == lines);
	return true;
}

void target_init(void)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	size_t longest = 0, at, n, i;
	bool open = true;

	still_begin();
	lines = 0;
	answers = 0;
	captured = false;
	have = 0;
	device_begin();
	for (at = 0; open && at < len; at += n + 1) {
		for (n = 0; at + n < len && data[at + n]; n++)
			continue;
		assert_int_equal(send(client, data + at, n, MSG_NOSIGNAL), n);
		for (i = 0; i < n; i++) {
			longest = data[at + i] == '\n' ? 0 : longest + 1;
			lines += data[at + i] == '\n';
			/* The client will be cut off, with or without answers */
			if (longest >= LINE_MAX_LEN)
				goto end;
		}
		open = answer_all();
		assert_true(open);
		if (captured)
			break;
	}
end:
	device_end();
	return 0;
}
