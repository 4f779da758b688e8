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

static struct verb *verbs;

void verb_add(struct verb *verb)
{
	verb->next = verbs;
	verbs = verb;
}

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
	const struct verb *verb = verbs;

	while (verb && strcmp(verb->name, words[0]))
		verb = verb->next;
	want(verb, "no such command: %s", words[0]);
	want(count > verb->words, "%s", words[0]);
	return verb->run(session, words + 1);
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
