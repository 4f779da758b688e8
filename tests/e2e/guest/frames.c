// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: frames DEVICE CHANNEL
 *
 * Executes commands from CHANNEL, a character device. They create and use objects that receive and
 * send Ethernet frames: RAW_PACKET QPs, WQs, RWQ tables, RSS QPs, flow rules, counters. A command
 * is a line, NUMBER VERB WORD...; the answer to each is a line of JSON with the number, the results
 * and the errno. The test has the other end of CHANNEL and of the cable of the port. The program
 * ends at the end of its input.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "frames.h"

static const struct verb {
	const char *name;
	int words;		/* at least, after the name */
	int (*run)(struct session *session, char **words);
} verbs[] = {
	{ "query", 0, query_device },
	{ "cq", 2, create_cq },
	{ "qp", 3, create_qp },
	{ "wq", 5, create_wq },
	{ "modify_wq", 6, modify_wq },
	{ "table", 1, create_table },
	{ "rss", 4, create_rss },
	{ "counters", 1, create_counters },
	{ "attach", 4, attach_counter },
	{ "read", 2, read_counters },
	{ "flow", 4, create_flow },
	{ "destroy", 1, destroy },
	{ "reset", 0, destroy_all },
	{ "state", 2, modify_state },
	{ "rate", 4, modify_rate },
	{ "post", 3, post_receives },
	{ "send", 4, send_frames },
	{ "tso", 4, send_tso },
	{ "poll", 3, poll_completions },
	{ "event", 1, next_event },
	{ "trash", 4, trash_ring },
};

int tell(struct session *session, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(session->out, format, args);
	va_end(args);
	return 0;
}

static int run(struct session *session, char **words, int count)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (strcmp(verbs[i].name, words[0]))
			continue;
		want(count > verbs[i].words, "%s", words[0]);
		return verbs[i].run(session, words + 1);
	}
	failed(__FILE__, __LINE__, "no such command: %s", words[0]);
}

/* Missing words are empty */
static int split(char *line, char **words)
{
	static char empty[1];
	char *save, *word;
	int count = 0, i;

	for (word = strtok_r(line, " \n", &save); word && count < MAX_WORDS;
	     word = strtok_r(NULL, " \n", &save))
		words[count++] = word;
	for (i = count; i < MAX_WORDS; i++)
		words[i] = empty;
	return count;
}

int main(int argc, char **argv)
{
	static struct session session;
	char *line = NULL, *words[MAX_WORDS];
	size_t room = 0;
	FILE *in;
	int fd, count, err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 3) {
		fprintf(stderr, "usage: frames DEVICE CHANNEL\n");
		return 2;
	}
	port_open(&session.port, argv[1], 0);
	fd = open(argv[2], O_RDWR);
	want(fd >= 0, "%s: %s", argv[2], strerror(errno));
	in = made(fdopen(fd, "r"));
	session.out = made(fdopen(dup(fd), "w"));
	while (getline(&line, &room, in) > 0) {
		count = split(line, words);
		if (count < 2)
			continue;
		tell(&session, "{\"number\": %s", words[0]);
		err = run(&session, words + 1, count - 1);
		tell(&session, ", \"errno\": %d}\n", err);
		want(!fflush(session.out), "%s", strerror(errno));
	}
	return 0;
}
