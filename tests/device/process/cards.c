// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The cards of the process. A card that is added needs nothing that the sandbox
 * forbids: the client of the control socket makes the listening socket.
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "process/cards.h"
#include "process/device.h"
#include "process/report.h"

/* Interval between looks whether cards can be destroyed */
#define LEAVE_NS (10ULL * 1000 * 1000)

static int card_add(struct device *device, const struct options_nic *nic, int listener)
{
	const struct log *log = &device->options.log;
	int err;

	err = slot_create(&device->loop, log, &nic->config, nic->path, listener,
			  &device->slot[device->slot_count]);
	if (err)
		return err;
	device->slot_count++;
	log_msg(log, ENV_LOG_INFO, nic->name, "waiting for QEMU on %s", nic->path);
	return 0;
}

static void card_remove(struct device *device, unsigned int place)
{
	struct slot *gone = device->slot[place], *slot;
	unsigned int i;

	device->slot_count--;
	memmove(&device->slot[place], &device->slot[place + 1],
		(device->slot_count - place) * sizeof(gone));
	for (i = 0; i < device->slot_count; i++) {
		slot = device->slot[i];
		card_replace_payer(slot->card, &gone->port, &slot->port);
	}
	log_msg(&device->options.log, ENV_LOG_INFO, gone->config.name, "removed");
	slot_destroy(gone);
}

static void leave_later(struct device *device)
{
	timer_arm(&device->loop.timers, &device->leave, loop_clock_ns() + LEAVE_NS);
}

static void leave_timer(struct timer *timer)
{
	struct device *device = container_of(timer, struct device, leave);
	unsigned int i = 0;
	bool any = false;

	while (i < device->slot_count) {
		if (device->slot[i]->leaving && slot_has_left(device->slot[i])) {
			card_remove(device, i);
			continue;
		}
		any |= device->slot[i++]->leaving;
	}
	if (any)
		leave_later(device);
}

int cards_create(struct device *device)
{
	const struct options *options = &device->options;
	unsigned int i;
	int err = 0;

	timer_init(&device->leave, leave_timer);
	for (i = 0; !err && i < options->nic_count; i++)
		err = card_add(device, &options->nic[i], -1);
	return err;
}

void cards_destroy(struct device *device)
{
	if (device->slot_count)
		timer_cancel(&device->loop.timers, &device->leave);
	while (device->slot_count)
		slot_destroy(device->slot[--device->slot_count]);
}

static struct slot *find_any(const struct device *device, const char *name)
{
	unsigned int i;

	for (i = 0; i < device->slot_count; i++)
		if (!strcmp(device->slot[i]->config.name, name))
			return device->slot[i];
	return NULL;
}

struct slot *cards_find(const struct device *device, const char *name)
{
	struct slot *slot = name ? find_any(device, name) : NULL;

	return slot && !slot->leaving ? slot : NULL;
}

/* An accept() of another descriptor would fail for ever, or wait */
static bool is_listener(int fd)
{
	socklen_t len = sizeof(int);
	int listens;

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) && listens &&
	       fcntl(fd, F_GETFL) & O_NONBLOCK;
}

/* The lowest number without a card */
static unsigned int free_number(const struct device *device)
{
	char name[OPTIONS_NAME_LEN];
	unsigned int number;

	for (number = 0;; number++) {
		snprintf(name, sizeof(name), OPTIONS_NAME, number);
		if (!find_any(device, name))
			return number;
	}
}

struct json_object *cards_add(struct device *device, char **words, int *listener)
{
	struct json_object *answer;
	struct options_nic nic;
	const char *reason;
	int err;

	if (!words[1] || words[2])
		return answer_error("add wants the words of --nic, without blanks");
	if (*listener < 0 || !is_listener(*listener))
		return answer_error("add wants a listening, non-blocking socket (SCM_RIGHTS)");
	if (device->stream.running)
		return answer_error("not during a capture, which has its cards from its start");
	if (device->slot_count == OPTIONS_MAX_NICS)
		return answer_error("there are 64 cards, which is the limit");
	reason = options_parse_nic(&nic, free_number(device), words[1]);
	if (reason)
		return answer_error(reason);
	err = card_add(device, &nic, *listener);
	if (err == -EEXIST)
		return answer_error("another card has the same MAC");
	if (err)
		return answer_error(strerror(-err));
	*listener = -1;
	answer = json_object_new_object();
	json_object_object_add(answer, "card", json_object_new_string(nic.name));
	return answer;
}

struct json_object *cards_remove(struct device *device, char **words)
{
	struct slot *slot = cards_find(device, words[1]);
	bool force = slot && words[2] && !strcmp(words[2], "force");

	if (!slot)
		return answer_error("remove wants a card, such as nic0");
	if (words[2] && (!force || words[3]))
		return answer_error("remove wants a card, and nothing else or force");
	if (device->stream.running)
		return answer_error("not during a capture, which has its cards from its start");
	if (slot->vu.client.fd >= 0 && !force)
		return answer_error("a virtual machine has this card, which force takes from it");
	slot_leave(slot);
	leave_later(device);
	return json_object_new_object();
}
