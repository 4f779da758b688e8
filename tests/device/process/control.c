// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The control socket: clients, requests and their answers in JSON */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "env/number.h"
#include "loop/sock.h"
#include "process/cards.h"
#include "process/control.h"
#include "process/device.h"
#include "process/report.h"
#include "process/stream.h"

#define CLIENT_MAX 8
#define LINE_MAX_LEN 1024
#define WORDS_MAX 8
/* Part of client.heard, so that clients that have not asked go first */
#define ASKED (1ULL << 63)

/* A connected client. An answer is sent before the next request is handled. */
struct client {
	struct loop_fd lfd;
	struct control *control;
	char in[LINE_MAX_LEN];
	size_t in_len;
	char *out;
	size_t out_len;
	size_t out_sent;
	uint64_t heard;		/* value of control.heard when it came or last asked */
	int passed_fd;		/* the latest one that came with its requests, or -1 */
};

/**
 * struct control - the control socket
 * @heard: number of the latest sign of life of a client
 * @asking: client whose request is being answered
 * @viewer: client that has asked for a capture, or NULL
 * @stream: its capture, or NULL
 */
struct control {
	struct device *device;
	const char *path;
	struct share share;
	struct loop_fd listener;
	uint64_t heard;
	struct client *asking;
	struct client *viewer;
	struct stream *stream;
	struct client client[CLIENT_MAX];
};

/* Tell the client that captures of a change it can see on the wire */
#define NOTE(control, ...)                                              \
	do {                                                            \
		if ((control)->stream)                                  \
			stream_note((control)->stream, __VA_ARGS__);    \
	} while (0)

static struct json_object *do_stats(struct control *control, char **words)
{
	if (words[1])
		return answer_error("stats takes no arguments");
	/* A client that counts packets also finds them in the capture */
	if (control->device->capture)
		capture_flush(control->device->capture);
	return report_stats(control->device);
}

static struct json_object *do_qps(struct control *control, char **words)
{
	struct slot *slot = cards_find(control->device, words[1]);
	uint64_t place = 0;

	if (!slot)
		return answer_error("qps wants a card, such as nic0");
	if (words[2] && (words[3] || !number_parse(words[2], 0, UINT32_MAX, &place)))
		return answer_error("qps wants \"next\" of its answer");
	return report_qps(slot, place);
}

static struct json_object *do_link(struct control *control, char **words)
{
	struct slot *slot = cards_find(control->device, words[1]);

	if (!slot)
		return answer_error("link wants a card, such as nic0");
	if (!words[2] || words[3] ||
	    (strcmp(words[2], "up") && strcmp(words[2], "down")))
		return answer_error("link wants up or down");
	slot_plug(slot, !strcmp(words[2], "up"));
	NOTE(control, "%s: link %s", words[1], words[2]);
	return json_object_new_object();
}

static struct json_object *do_hold(struct control *control, char **words)
{
	struct slot *slot = cards_find(control->device, words[1]);

	if (!slot)
		return answer_error("hold wants a card, such as nic0");
	if (!words[2] || words[3] ||
	    (strcmp(words[2], "on") && strcmp(words[2], "off")))
		return answer_error("hold wants on or off");
	card_hold(slot->card, !strcmp(words[2], "on"));
	NOTE(control, "%s: hold %s", words[1], words[2]);
	return json_object_new_object();
}

static struct json_object *do_inject(struct control *control, char **words)
{
	struct slot *slot = cards_find(control->device, words[1]);

	if (!slot)
		return answer_error("inject wants a card, such as nic0");
	if (!words[2] || words[3] || strcmp(words[2], "fatal"))
		return answer_error("inject wants fatal");
	card_stop(slot->card);
	NOTE(control, "%s: inject fatal", words[1]);
	return json_object_new_object();
}

/* Kinds and their descriptions */
static struct json_object *list_lies(void)
{
	struct json_object *answer = json_object_new_object();
	struct json_object *list = json_object_new_array();
	const char *text;
	unsigned int i;

	for (i = 0; (text = lie_help(i)); i++)
		json_object_array_add(list, json_object_new_string(text));
	json_object_object_add(answer, "lies", list);
	return answer;
}

static struct json_object *do_lie(struct control *control, char **words)
{
	struct slot *slot = cards_find(control->device, words[1]);
	char text[STREAM_NOTE_MAX];
	struct lie_config config;
	const char *reason;

	if (!words[1])
		return list_lies();
	if (!slot || !words[2] || words[3])
		return answer_error("lie wants a card and a list");
	/* The parser cuts the list into words */
	snprintf(text, sizeof(text), "%s", words[2]);
	reason = lie_parse(&config, words[2]);
	if (reason)
		return answer_error(reason);
	card_lie(slot->card, &config);
	NOTE(control, "%s: lie %s", words[1], text);
	return json_object_new_object();
}

static struct json_object *set_fault(struct fault *fault, const char *name,
				     const char *chance)
{
	unsigned int i;
	uint64_t ppm;

	if (!number_parse(chance, 0, FAULT_ALWAYS, &ppm))
		return answer_error("the chance must be 0 to 1000000 ppm");
	for (i = 0; i < FAULT_KINDS; i++) {
		if (strcmp(fault_name(i), name))
			continue;
		fault->ppm[i] = ppm;
		return json_object_new_object();
	}
	return answer_error("no such fault");
}

static struct json_object *set_fault_seed(struct fault *fault,
					  const char *number)
{
	uint64_t seed;

	if (!number_parse(number, 0, UINT64_MAX, &seed))
		return answer_error("the seed must be a number of 64 bits");
	rng_seed(&fault->rng, seed);
	return json_object_new_object();
}

static struct json_object *do_fault(struct control *control, char **words)
{
	struct fault *fault = &control->device->loop.sw.fault;
	struct json_object *answer;
	unsigned int i;

	if (words[1] && words[2] && !words[3]) {
		if (!strcmp(words[1], "seed"))
			answer = set_fault_seed(fault, words[2]);
		else
			answer = set_fault(fault, words[1], words[2]);
		if (!json_object_object_length(answer))
			NOTE(control, "fault %s %s", words[1], words[2]);
		return answer;
	}
	if (words[1])
		return answer_error("fault wants a kind and a chance in ppm");
	answer = json_object_new_object();
	for (i = 0; i < FAULT_KINDS; i++)
		json_object_object_add(answer, fault_name(i),
				       json_object_new_int64(fault->ppm[i]));
	return answer;
}

static void viewer_ready(void *arg)
{
	struct control *control = arg;

	/* Its answer is sent first, and then what waits (viewer_show()) */
	if (!control->viewer->out_len)
		loop_modify_fd(&control->device->loop, &control->viewer->lfd,
			       EPOLLIN | EPOLLOUT);
}

static struct json_object *do_capture(struct control *control, char **words)
{
	struct loop *loop = &control->device->loop;
	struct json_object *answer, *names;
	uint64_t snaplen = STREAM_SNAPLEN_MAX;
	struct list_head *node;

	if (words[1] && (words[2] || !number_parse(words[1], 1, STREAM_SNAPLEN_MAX, &snaplen)))
		return answer_error("capture wants 1 to 65535 bytes of each packet");
	if (control->stream)
		return answer_error("another client captures, one at a time can");
	control->stream = stream_start(loop, snaplen, &control->device->stream,
				       viewer_ready, control);
	if (!control->stream)
		return answer_error("out of memory");
	control->viewer = control->asking;
	answer = json_object_new_object();
	names = json_object_new_array();
	list_for_each(node, &loop->sw.ports)
		json_object_array_add(names, json_object_new_string(
			list_entry(node, struct port, node)->name));
	json_object_object_add(answer, "interfaces", names);
	return answer;
}

static struct json_object *do_add(struct control *control, char **words)
{
	return cards_add(control->device, words, &control->asking->passed_fd);
}

static struct json_object *do_remove(struct control *control, char **words)
{
	return cards_remove(control->device, words);
}

static struct json_object *do_trace(struct control *control, char **words)
{
	return tracer_request(control->device, control->asking, words);
}

static struct json_object *do_help(struct control *control, char **words);

/* Requests, by their first word */
static const struct request {
	const char *name;
	struct json_object *(*fn)(struct control *control, char **words);
	const char *help;
} requests[] = {
	{ "add", do_add,
	  "add WORDS: add a card, with the words of --nic; its listening socket comes with"
	  " the request (SCM_RIGHTS)" },
	{ "capture", do_capture,
	  "capture [BYTES]: packets and events as pcapng from now on, behind the"
	  " answer; BYTES of each packet" },
	{ "fault", do_fault,
	  "fault [loss|duplicate|reorder|delay|corrupt PPM]: faults of the wire;"
	  " fault seed N: begin their random numbers anew" },
	{ "help", do_help, "help: this list" },
	{ "hold", do_hold, "hold NIC on|off: keep it in each reset" },
	{ "inject", do_inject, "inject NIC fatal: stop until the next reset" },
	{ "lie", do_lie,
	  "lie: the lies there are; lie NIC none|all|LABEL[.PLACE][,...][,rate=PPM]"
	  "[,seed=N][,count=N][,until=reset]: tell these" },
	{ "link", do_link, "link NIC up|down: plug or pull the cable" },
	{ "qps", do_qps,
	  "qps NIC [NEXT]: QPs; go on from NEXT of the answer before" },
	{ "remove", do_remove,
	  "remove NIC [force]: remove a card that no virtual machine has, with force any" },
	{ "stats", do_stats, "stats: all figures" },
	{ "trace", do_trace,
	  "trace start [RECORDS]|read|stop: what happens to messages, until the client goes" },
};

static struct json_object *do_help(struct control *control, char **words)
{
	struct json_object *answer = json_object_new_object();
	struct json_object *list = json_object_new_array();
	size_t i;

	(void)control;
	(void)words;
	for (i = 0; i < ARRAY_SIZE(requests); i++)
		json_object_array_add(list,
				      json_object_new_string(requests[i].help));
	json_object_object_add(answer, "requests", list);
	return answer;
}

static struct json_object *answer_line(struct control *control, char *line)
{
	char *words[WORDS_MAX + 1] = { NULL };
	unsigned int count = 0;
	char *word, *rest;
	size_t i;

	for (word = strtok_r(line, " \t\r", &rest); word;
	     word = strtok_r(NULL, " \t\r", &rest)) {
		if (count == WORDS_MAX)
			return answer_error("too many words");
		words[count++] = word;
	}
	if (!count)
		return answer_error("empty request");
	for (i = 0; i < ARRAY_SIZE(requests); i++)
		if (!strcmp(requests[i].name, words[0]))
			return requests[i].fn(control, words);
	return answer_error("unknown request, try help");
}

/* Keep a descriptor in place of the one before, which no request has used */
static void client_pass(struct client *client, int fd)
{
	if (client->passed_fd >= 0)
		close(client->passed_fd);
	client->passed_fd = fd;
}

static void client_drop(struct client *client)
{
	struct control *control = client->control;

	if (control->viewer == client) {
		stream_stop(control->stream);
		control->stream = NULL;
		control->viewer = NULL;
	}
	tracer_end(control->device, client);
	loop_remove_fd(&control->device->loop, &client->lfd);
	close(client->lfd.fd);
	client->lfd.fd = -1;
	client_pass(client, -1);
	free(client->out);
	client->out = NULL;
	client->out_len = 0;
	client->in_len = 0;
}

/* Return: true when the answer is sent */
static bool client_flush(struct client *client)
{
	ssize_t sent;

	while (client->out_sent < client->out_len) {
		sent = send(client->lfd.fd, client->out + client->out_sent,
			    client->out_len - client->out_sent,
			    MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0 && errno == EAGAIN) {
			loop_modify_fd(&client->control->device->loop,
				       &client->lfd, EPOLLOUT);
			return false;
		}
		if (sent < 0) {
			client_drop(client);
			return false;
		}
		client->out_sent += sent;
	}
	free(client->out);
	client->out = NULL;
	client->out_len = 0;
	return true;
}

static void client_answer(struct client *client, struct json_object *answer)
{
	const char *text = json_object_to_json_string_ext(
		answer, JSON_C_TO_STRING_NOSLASHESCAPE);
	size_t len = text ? strlen(text) : 0;

	client->out = malloc(len + 1);
	if (client->out) {
		memcpy(client->out, text, len);
		client->out[len] = '\n';
		client->out_len = len + 1;
		client->out_sent = 0;
	}
	json_object_put(answer);
}

/* The client that captures says nothing more: its end ends the capture */
static void viewer_show(struct client *client, uint32_t events)
{
	int left = stream_send(client->control->stream, client->lfd.fd);

	if (left < 0 || events & ~(uint32_t)EPOLLOUT)
		client_drop(client);
	else
		loop_modify_fd(&client->control->device->loop, &client->lfd,
			       left ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/* Return: true when a request was answered and there may be another */
static bool client_handle_line(struct client *client)
{
	char *end = memchr(client->in, '\n', client->in_len);
	size_t used;

	if (!end) {
		if (client->in_len == LINE_MAX_LEN)
			client_drop(client);
		return false;
	}
	*end = '\0';
	client->control->asking = client;
	client_answer(client, answer_line(client->control, client->in));
	used = end + 1 - client->in;
	client->in_len -= used;
	memmove(client->in, end + 1, client->in_len);
	return client_flush(client);
}

/*
 * Answer one request, as one answer may take long. The next turn goes on. A capture
 * ends when its client sends more.
 */
static void client_handle(struct client *client)
{
	bool done = client_handle_line(client);

	if (client == client->control->viewer && client->in_len)
		client_drop(client);
	/* EPOLLOUT is due at once */
	else if (done && memchr(client->in, '\n', client->in_len))
		loop_modify_fd(&client->control->device->loop, &client->lfd,
			       EPOLLOUT);
}

/* As recv(), for requests and a descriptor that came with them */
static ssize_t client_recv(struct client *client)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { client->in + client->in_len, LINE_MAX_LEN - client->in_len };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	struct cmsghdr *cmsg;
	ssize_t got;
	int fd;

	got = recvmsg(client->lfd.fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	cmsg = got < 0 ? NULL : CMSG_FIRSTHDR(&msg);
	if (cmsg && cmsg->cmsg_level == SOL_SOCKET && cmsg->cmsg_type == SCM_RIGHTS) {
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
		client_pass(client, fd);
	}
	return got;
}

static void client_ready(struct loop_fd *lfd, uint32_t events)
{
	struct client *client = container_of(lfd, struct client, lfd);
	ssize_t got;

	client->heard = ++client->control->heard | ASKED;
	if (client == client->control->viewer && !client->out_len) {
		viewer_show(client, events);
		return;
	}
	if (client->out_len || events & EPOLLOUT) {
		if (!client_flush(client))
			return;
		if (client == client->control->viewer) {
			viewer_show(client, 0);
			return;
		}
		loop_modify_fd(&client->control->device->loop, lfd, EPOLLIN);
	} else {
		got = client_recv(client);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (got <= 0) {
			client_drop(client);
			return;
		}
		client->in_len += got;
	}
	client_handle(client);
}

/*
 * Return: a free place, or the client that has asked nothing, or nothing for the longest time. The
 * one that captures has nothing to ask.
 */
static struct client *find_place(struct control *control)
{
	struct client *client, *place = NULL;
	unsigned int i;

	for (i = 0; i < CLIENT_MAX; i++) {
		client = &control->client[i];
		if (client->lfd.fd < 0)
			return client;
		if (client != control->viewer &&
		    (!place || client->heard < place->heard))
			place = client;
	}
	return place;
}

static void listener_ready(struct loop_fd *lfd, uint32_t events)
{
	struct control *control =
		container_of(lfd, struct control, listener);
	struct client *client;
	int fd;

	(void)events;
	fd = sock_accept(lfd->fd, &control->device->loop.spare_fd);
	if (fd < 0)
		return;
	client = find_place(control);
	if (client->lfd.fd >= 0)
		client_drop(client);
	client->heard = ++control->heard;
	client->lfd.fd = fd;
	if (loop_add_fd(&control->device->loop, &client->lfd, EPOLLIN)) {
		client->lfd.fd = -1;
		close(fd);
	}
}

int control_create(struct device *device, const char *path,
		   struct control **out)
{
	const struct log *log = &device->options.log;
	struct control *control;
	unsigned int i;
	int err;

	control = calloc(1, sizeof(*control));
	if (!control) {
		log_msg(log, ENV_LOG_ERR, NULL, "out of memory");
		return -ENOMEM;
	}
	control->device = device;
	control->path = path;
	for (i = 0; i < CLIENT_MAX; i++) {
		control->client[i].control = control;
		control->client[i].lfd.fd = -1;
		control->client[i].passed_fd = -1;
		control->client[i].lfd.ready = client_ready;
		control->client[i].lfd.share = &control->share;
	}
	control->listener.ready = listener_ready;
	control->listener.share = &control->share;
	control->listener.fd = sock_bind(path, SOCK_STREAM);
	if (control->listener.fd < 0) {
		err = control->listener.fd;
		log_msg(log, ENV_LOG_ERR, NULL,
			"cannot make the control socket %s: %s", path,
			strerror(-err));
		goto free_control;
	}
	err = loop_add_fd(&device->loop, &control->listener, EPOLLIN);
	if (err) {
		log_msg(log, ENV_LOG_ERR, NULL,
			"cannot watch the control socket: %s", strerror(-err));
		goto close_listener;
	}
	shares_add(&device->loop.shares, &control->share);
	*out = control;
	return 0;

close_listener:
	close(control->listener.fd);
	unlink(path);
free_control:
	free(control);
	return err;
}

void control_destroy(struct control *control)
{
	unsigned int i;

	if (!control)
		return;
	for (i = 0; i < CLIENT_MAX; i++)
		if (control->client[i].lfd.fd >= 0)
			client_drop(&control->client[i]);
	loop_remove_fd(&control->device->loop, &control->listener);
	shares_remove(&control->device->loop.shares, &control->share);
	close(control->listener.fd);
	if (!control->device->loop.confined)
		unlink(control->path);
	free(control);
}
