// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: agent PORT
 *
 * Runs the commands of the host (scripts/ornicrun/agent.py) in a guest. It answers those requests
 * of QEMU's guest agent that the host uses, with more members: a program ends after its "timeout"
 * (s), and the answer about its status comes when it ends, or after "wait" (ms). With QEMU's agent
 * each command needs timeout(1) and is polled for, which takes three times as long on an emulated
 * processor. The output of a program is kept in a file, or sent at once as events if the request
 * has a member "stream" that is not 0; the last event is the end of the program. The host is the
 * only client, sends what Python's json module writes, and has one request at a time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stream.h"

#define ARGS_MAX 16
#define LINE_BYTES (1 << 16)
#define PATH_BYTES 64
/* A multiple of 3, so that base64 has no padding inside a file's text */
#define PIECE_BYTES (3 * 1024)
#define POLLED_MAX 32
#define PAUSE_US 50000
/* Exit code of a program that its timeout has ended, as that of timeout(1) */
#define LATE 124
#define GRACE_MS 5000

/*
 * struct child - a program that the host has not asked for since its end
 * @pid: also the process group
 * @stream: its output, if that is sent at once
 * @status: as of waitpid(), when it has ended
 * @ended: has ended
 * @late: got a SIGTERM at its deadline, which was GRACE_MS before the present one
 * @deadline: when to end it, in ms of the monotonic clock; 0: never
 */
struct child {
	struct child *next;
	pid_t pid;
	struct stream *stream;
	int status;
	bool ended, late;
	long long deadline;
};

static FILE *port;
static struct child *children;
/* The child of a request that is answered at its end, or at this time */
static struct child *asked;
static long long asked_until;

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void send_error(const char *what)
{
	fprintf(port, "{\"error\": {\"desc\": \"%s\"}}\n", what);
}

/* Value of a member; quotes in strings are escaped, so no string has this text */
static const char *member(const char *line, const char *name)
{
	char text[32];
	const char *at;

	snprintf(text, sizeof(text), "\"%s\": ", name);
	at = strstr(line, text);
	return at ? at + strlen(text) : NULL;
}

static long number(const char *line, const char *name)
{
	const char *at = member(line, name);

	return at ? strtol(at, NULL, 10) : 0;
}

static char *put_utf8(char *out, unsigned int c)
{
	if (c < 0x80) {
		*out++ = c;
	} else if (c < 0x800) {
		*out++ = 0xc0 | c >> 6;
		*out++ = 0x80 | (c & 0x3f);
	} else {
		*out++ = 0xe0 | c >> 12;
		*out++ = 0x80 | (c >> 6 & 0x3f);
		*out++ = 0x80 | (c & 0x3f);
	}
	return out;
}

/* Decode a string in a new buffer, and move *at behind it; NULL: there is none */
static char *string(const char **at)
{
	const char *in = *at;
	char *result, *out;
	unsigned int c;

	if (!in || *in++ != '"')
		return NULL;
	result = out = malloc(strlen(in) + 1);
	while (*in && *in != '"') {
		if (*in != '\\') {
			*out++ = *in++;
			continue;
		}
		switch (*++in) {
		case 'n':
			*out++ = '\n';
			break;
		case 't':
			*out++ = '\t';
			break;
		case 'u':
			if (sscanf(in + 1, "%4x", &c) != 1)
				return NULL;
			out = put_utf8(out, c);
			in += 4;
			break;
		default:
			*out++ = *in;
		}
		in++;
	}
	*out = 0;
	*at = in + 1;
	return result;
}

static void output_path(char *path, long pid)
{
	snprintf(path, PATH_BYTES, "/run/output-%ld", pid);
}

/* The program has a process group of its own, for kill */
static void run_child(char **argv, const struct stream *stream)
{
	char path[PATH_BYTES];
	sigset_t none;
	int fd;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
	if (stream) {
		stream_connect(stream);
	} else {
		output_path(path, getpid());
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
		dup2(fd, 1);
		dup2(fd, 2);
	}
	execv(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static void add_child(pid_t pid, struct stream *stream, long timeout)
{
	struct child *child = calloc(1, sizeof(*child));

	child->pid = pid;
	child->stream = stream;
	child->deadline = timeout ? now_ms() + timeout * 1000LL : 0;
	child->next = children;
	children = child;
}

static void exec_program(const char *line)
{
	const char *at = member(line, "path");
	char *argv[ARGS_MAX + 1] = { string(&at) };
	struct stream *stream = NULL;
	int count = 1, i;
	pid_t pid;

	at = member(line, "arg");
	while (at && count < ARGS_MAX) {
		at += strspn(at, "[, ");
		argv[count] = string(&at);
		if (!argv[count])
			break;
		count++;
	}
	if (number(line, "stream"))
		stream = stream_create();
	pid = argv[0] ? fork() : -1;
	if (!pid)
		run_child(argv, stream);
	for (i = 0; i < count; i++)
		free(argv[i]);
	if (stream)
		stream_started(stream);
	if (pid < 0) {
		send_error("cannot start a program");
		if (stream)
			stream_destroy(stream);
		return;
	}
	add_child(pid, stream, number(line, "timeout"));
	fprintf(port, "{\"return\": {\"pid\": %d}}\n", (int)pid);
}

static void put_file(FILE *in)
{
	unsigned char bytes[PIECE_BYTES];
	size_t n;

	while ((n = fread(bytes, 1, sizeof(bytes), in)))
		put_base64(port, bytes, n);
}

static int exit_code(const struct child *child)
{
	if (child->late)
		return LATE;
	return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) :
					    WEXITSTATUS(child->status);
}

static void forget(struct child *child)
{
	struct child **at = &children;

	while (*at != child)
		at = &(*at)->next;
	*at = child->next;
	if (child->stream)
		stream_destroy(child->stream);
	free(child);
}

/* Send output of programs, and the end of those that have ended. Return: whether there was any. */
static bool forward_output(void)
{
	struct child *child, *next;
	bool any = false;

	for (child = children; child; child = next) {
		next = child->next;
		if (!child->stream)
			continue;
		if (stream_forward(child->stream, port, child->pid)) {
			any = true;
		} else if (child->ended) {
			fprintf(port, "{\"event\": \"end\", \"pid\": %d, \"code\": %d}\n",
				(int)child->pid, exit_code(child));
			forget(child);
		}
	}
	return any;
}

/* Report a program that has ended, and forget it */
static void report_end(struct child *child)
{
	char path[PATH_BYTES];
	FILE *in;

	fprintf(port, "{\"return\": {\"exited\": true, \"exitcode\": %d, \"out-data\": \"",
		exit_code(child));
	output_path(path, child->pid);
	in = fopen(path, "r");
	if (in) {
		put_file(in);
		fclose(in);
		unlink(path);
	}
	fputs("\"}}\n", port);
	forget(child);
}

static void ask_status(const char *line)
{
	long pid = number(line, "pid");
	struct child *child;

	for (child = children; child && child->pid != pid; child = child->next)
		;
	if (!child) {
		send_error("no such process");
		return;
	}
	asked = child;
	asked_until = now_ms() + number(line, "wait");
}

static void answer_status(void)
{
	if (!asked || (!asked->ended && now_ms() < asked_until))
		return;
	if (asked->ended)
		report_end(asked);
	else
		fputs("{\"return\": {\"exited\": false}}\n", port);
	asked = NULL;
}

static void reap(void)
{
	struct child *child;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (child = children; child; child = child->next)
			if (child->pid == pid) {
				child->status = status;
				child->ended = true;
			}
}

/* Signal the programs whose time is over. Return: when the next one's is, 0: none's. */
static long long end_late(void)
{
	long long now = now_ms(), next = 0;
	struct child *child;

	for (child = children; child; child = child->next) {
		if (child->ended || !child->deadline)
			continue;
		if (now >= child->deadline) {
			kill(-child->pid, child->late ? SIGKILL : SIGTERM);
			kill(-child->pid, SIGCONT);
			child->deadline = child->late ? 0 : now + GRACE_MS;
			child->late = true;
		}
		if (child->deadline && (!next || child->deadline < next))
			next = child->deadline;
	}
	return next;
}

static void open_file(const char *line)
{
	const char *at = member(line, "path");
	char *path = string(&at);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		send_error("cannot open the file");
	else
		fprintf(port, "{\"return\": %d}\n", fd);
	free(path);
}

static void read_file(const char *line)
{
	unsigned char bytes[PIECE_BYTES];
	ssize_t n = read(number(line, "handle"), bytes, sizeof(bytes));

	if (n < 0) {
		send_error("cannot read the file");
		return;
	}
	fprintf(port, "{\"return\": {\"eof\": %s, \"buf-b64\": \"", n ? "false" : "true");
	put_base64(port, bytes, n);
	fputs("\"}}\n", port);
}

static void close_file(const char *line)
{
	close(number(line, "handle"));
	fputs("{\"return\": {}}\n", port);
}

static void synchronize(const char *line)
{
	fprintf(port, "\xff{\"return\": %ld}\n", number(line, "id"));
}

static void serve(const char *line)
{
	static const struct {
		const char *name;
		void (*serve)(const char *line);
	} commands[] = {
		{ "guest-sync-delimited", synchronize },
		{ "guest-exec", exec_program },
		{ "guest-exec-status", ask_status },
		{ "guest-file-open", open_file },
		{ "guest-file-read", read_file },
		{ "guest-file-close", close_file },
		{ NULL, NULL },
	};
	const char *at = member(line, "execute");
	char *command = string(&at);
	size_t i;

	if (!command)
		return;
	for (i = 0; commands[i].name && strcmp(command, commands[i].name); i++)
		;
	if (commands[i].name)
		commands[i].serve(line);
	else
		send_error("no such command");
	free(command);
}

static void take(char c)
{
	static char line[LINE_BYTES];
	static size_t len;

	if (c == '\xff') {
		len = 0;
	} else if (c == '\n') {
		line[len] = 0;
		serve(line);
		len = 0;
	} else if (len < sizeof(line) - 1) {
		line[len++] = c;
	}
}

/* Wait for requests, output, the end of a program, or a time (ms; 0: none) */
static void wait_for(int fd, long long until)
{
	struct pollfd polled[POLLED_MAX] = { { .fd = fd, .events = POLLIN } };
	char bytes[PIECE_BYTES];
	struct child *child;
	struct timespec pause;
	long long ms = 0;
	int count = 1, k;
	sigset_t none;
	ssize_t n, i;

	/* A closed pipe has the descriptor -1, which ppoll() leaves out */
	for (child = children; child; child = child->next)
		for (k = 0; child->stream && k < STREAMS && count < POLLED_MAX; k++)
			polled[count++] = (struct pollfd){ child->stream->in[k], POLLIN, 0 };

	if (until && until > now_ms())
		ms = until - now_ms();
	pause = (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
	sigemptyset(&none);
	if (ppoll(polled, count, until ? &pause : NULL, &none) <= 0 || !polled[0].revents)
		return;
	n = polled[0].revents & POLLIN ? read(fd, bytes, sizeof(bytes)) : 0;
	for (i = 0; i < n; i++)
		take(bytes[i]);
	/* The host is not connected */
	if (n <= 0)
		usleep(PAUSE_US);
}

static void note_child(int number)
{
	(void)number;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = note_child };
	long long until;
	sigset_t child;
	bool more;
	int fd;

	fd = argc == 2 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;
	port = fd < 0 ? NULL : fdopen(fd, "w");
	if (!port) {
		fprintf(stderr, "usage: %s PORT\n", argv[0]);
		return 2;
	}
	/* A child that ends interrupts ppoll(), and nothing else */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	sigaction(SIGCHLD, &action, NULL);
	for (;;) {
		reap();
		answer_status();
		more = forward_output();
		fflush(port);
		until = end_late();
		if (asked && (!until || asked_until < until))
			until = asked_until;
		wait_for(fd, more ? now_ms() : until);
	}
}
