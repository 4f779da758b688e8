// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: qemu-ga --path=PORT ...
 *
 * The part of QEMU's guest agent that the lab uses (scripts/lab/agent.py), for guests that have no
 * packages. It runs programs and keeps their output in files. The lab is its only client, and sends
 * what Python's json module writes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS_MAX 16
#define LINE_BYTES (1 << 16)
#define PATH_BYTES 64
#define PAUSE_US 50000

static int port;

static void send_bytes(const char *bytes, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(port, bytes, len);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return;
		if (n <= 0) {
			usleep(PAUSE_US);
			continue;
		}
		bytes += n;
		len -= n;
	}
}

static void send_text(const char *text)
{
	send_bytes(text, strlen(text));
}

static void send_error(const char *what)
{
	char line[128];

	snprintf(line, sizeof(line), "{\"error\": {\"desc\": \"%s\"}}\n", what);
	send_text(line);
}

/* Value of a member; quotes within strings are escaped, so no string has this text */
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

	return at ? strtol(at, NULL, 10) : -1;
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
static void run_child(char **argv)
{
	char path[PATH_BYTES];
	int fd;

	setsid();
	output_path(path, getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(fd, 1);
	dup2(fd, 2);
	execv(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static void exec_program(const char *line)
{
	const char *at = member(line, "path");
	char *argv[ARGS_MAX + 1] = { string(&at) }, answer[64];
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
	pid = argv[0] ? fork() : -1;
	if (!pid)
		run_child(argv);
	for (i = 0; i < count; i++)
		free(argv[i]);
	if (pid < 0) {
		send_error("cannot start a program");
		return;
	}
	snprintf(answer, sizeof(answer), "{\"return\": {\"pid\": %d}}\n", (int)pid);
	send_text(answer);
}

static void send_base64(FILE *in)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char b[3];
	char out[4];
	size_t n;

	for (;;) {
		memset(b, 0, sizeof(b));
		n = fread(b, 1, sizeof(b), in);
		if (!n)
			return;
		out[0] = digits[b[0] >> 2];
		out[1] = digits[(b[0] & 3) << 4 | b[1] >> 4];
		out[2] = n > 1 ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=';
		out[3] = n > 2 ? digits[b[2] & 63] : '=';
		send_bytes(out, sizeof(out));
	}
}

static void report_status(long pid)
{
	char path[PATH_BYTES], answer[96];
	int status;
	pid_t found = waitpid(pid, &status, WNOHANG);
	FILE *in;

	if (found < 0) {
		send_error("no such process");
		return;
	}
	if (!found) {
		send_text("{\"return\": {\"exited\": false}}\n");
		return;
	}
	snprintf(answer, sizeof(answer),
		 "{\"return\": {\"exited\": true, \"%s\": %d, \"out-data\": \"",
		 WIFSIGNALED(status) ? "signal" : "exitcode",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	send_text(answer);
	output_path(path, pid);
	in = fopen(path, "r");
	if (in) {
		send_base64(in);
		fclose(in);
		unlink(path);
	}
	send_text("\"}}\n");
}

static void open_file(const char *line)
{
	const char *at = member(line, "path");
	char *path = string(&at);

	if (path && !access(path, R_OK))
		send_text("{\"return\": 1}\n");
	else
		send_error("cannot open the file");
	free(path);
}

static void synchronize(const char *line)
{
	char answer[64];

	snprintf(answer, sizeof(answer), "\xff{\"return\": %ld}\n", number(line, "id"));
	send_text(answer);
}

static void serve(const char *line)
{
	const char *at = member(line, "execute");
	char *command = string(&at);

	if (!command)
		return;
	if (!strcmp(command, "guest-sync-delimited"))
		synchronize(line);
	else if (!strcmp(command, "guest-exec"))
		exec_program(line);
	else if (!strcmp(command, "guest-exec-status"))
		report_status(number(line, "pid"));
	else if (!strcmp(command, "guest-file-open"))
		open_file(line);
	else if (!strcmp(command, "guest-file-close"))
		send_text("{\"return\": {}}\n");
	else
		send_error("no such command");
	free(command);
}

int main(int argc, char **argv)
{
	static char line[LINE_BYTES];
	size_t len = 0;
	char c;
	int i;

	port = -1;
	for (i = 1; i < argc; i++)
		if (!strncmp(argv[i], "--path=", 7))
			port = open(argv[i] + 7, O_RDWR | O_CLOEXEC);
	if (port < 0) {
		fprintf(stderr, "usage: %s --path=PORT\n", argv[0]);
		return 2;
	}
	for (;;) {
		/* Nothing is read while the lab is not connected */
		if (read(port, &c, 1) != 1) {
			usleep(PAUSE_US);
			continue;
		}
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
}
