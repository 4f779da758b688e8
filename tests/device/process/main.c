// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ornic-device: create what the command line describes, run it, destroy it */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "ports/port_fd.h"
#include "process/cards.h"
#include "process/control.h"
#include "process/device.h"
#include "process/remover.h"

static void signals_ready(struct loop_fd *lfd, uint32_t events)
{
	struct device *device = container_of(lfd, struct device, signals);

	(void)events;
	device->loop.stop = true;
}

static int signals_create(struct device *device)
{
	sigset_t set;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	device->signals.ready = signals_ready;
	device->signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (device->signals.fd < 0)
		return -errno;
	err = loop_add_fd(&device->loop, &device->signals, EPOLLIN);
	if (err)
		close(device->signals.fd);
	return err;
}

static void signals_destroy(struct device *device)
{
	loop_remove_fd(&device->loop, &device->signals);
	close(device->signals.fd);
}

/* Descriptors that do not depend on the number of cards and ports */
#define FDS 64
/* Descriptors of a card besides its vectors: sockets, and those in a message */
#define CARD_FDS (2 + VFIO_USER_MAX_FDS)

/* Each vector of each card needs a descriptor */
static void raise_fd_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int ports_create(struct device *device)
{
	const struct options *options = &device->options;
	const struct options_port *port;
	unsigned int i;
	int err;

	for (i = 0; i < options->port_count; i++) {
		port = &options->port[i];
		err = port->tap ? port_tap_create(&device->loop, &options->log,
						  port->tap, &port->config) :
				  port_dgram_create(&device->loop,
						    &options->log, port->local,
						    port->remote, &port->config);
		if (err)
			return err;
	}
	return 0;
}

static unsigned int max_fds(const struct options *options)
{
	unsigned int fds = FDS + options->port_count;
	unsigned int i;

	/* Any card may come later */
	if (options->control)
		return fds + OPTIONS_MAX_NICS * (CARD_FDS + CARD_VECTORS_MAX);
	for (i = 0; i < options->nic_count; i++)
		fds += CARD_FDS + options->nic[i].config.vectors;
	return fds;
}

/* In the sandbox the program cannot remove its sockets; another process does */
static int start_remover(struct device *device)
{
	const struct options *options = &device->options;
	const char *path[OPTIONS_MAX_NICS + OPTIONS_MAX_PORTS + 1];
	unsigned int count = 0, i;

	for (i = 0; i < options->nic_count; i++)
		path[count++] = options->nic[i].path;
	for (i = 0; i < options->port_count; i++)
		if (options->port[i].local)
			path[count++] = options->port[i].local;
	if (options->control)
		path[count++] = options->control;
	device->remover = remover_start(path, count);
	if (device->remover < 0) {
		log_msg(&options->log, ENV_LOG_ERR, NULL,
			"cannot start a process: %s",
			strerror(-device->remover));
		return device->remover;
	}
	device->loop.confined = true;
	return 0;
}

static int start_reaper(const struct log *log)
{
	int err = reaper_start();

	if (err)
		log_msg(log, ENV_LOG_ERR, NULL, "cannot start a thread: %s",
			strerror(-err));
	return err;
}

/* Everything is open: give up what the event loop does not need */
static int confine(struct device *device)
{
	const struct options *options = &device->options;
	int err;

	if (options->sandbox == SANDBOX_OFF && !options->has_user)
		return 0;
	err = start_remover(device);
	if (!err && options->has_user)
		err = sandbox_become(&options->log, &options->user);
	if (!err && options->sandbox != SANDBOX_OFF)
		err = sandbox_enter(&options->log, options->sandbox,
				    max_fds(options));
	return err;
}

static int device_run(struct device *device)
{
	const struct options *options = &device->options;
	const struct log *log = &options->log;
	int err;

	device->remover = -1;
	err = loop_init(&device->loop, options->spin_us);
	if (err) {
		log_msg(log, ENV_LOG_ERR, NULL, "cannot start: %s",
			strerror(-err));
		return err;
	}
	device->loop.sw.bytes = options->bytes;
	err = signals_create(device);
	if (err) {
		log_msg(log, ENV_LOG_ERR, NULL, "cannot watch signals: %s",
			strerror(-err));
		goto uninit_loop;
	}
	err = mem_guard_install();
	if (!err && options->pcap)
		err = capture_create(&device->loop, log, options->pcap,
				     &device->capture);
	/* The cleanup below runs in any case, because socket paths outlive the process */
	if (!err)
		err = ports_create(device);
	if (!err)
		err = cards_create(device);
	if (!err && options->control)
		err = control_create(device, options->control,
				     &device->control);
	if (!err)
		err = start_reaper(log);
	if (!err)
		err = confine(device);
	if (!err)
		err = loop_run(&device->loop);
	control_destroy(device->control);
	reaper_stop();
	cards_destroy(device);
	capture_destroy(device->capture);
	signals_destroy(device);
uninit_loop:
	loop_uninit(&device->loop);
	if (device->remover >= 0)
		remover_finish(device->remover);
	return err;
}

int main(int argc, char **argv)
{
	enum options_result result;
	struct device *device;
	int err;

	device = calloc(1, sizeof(*device));
	if (!device)
		return EXIT_FAILURE;
	result = options_parse(&device->options, argc, argv);
	if (result != OPTIONS_RUN) {
		free(device);
		return result == OPTIONS_BAD ? 2 : EXIT_SUCCESS;
	}
	/* Descriptors of the parent must not be within reach of a fault in this program */
	close_range(STDERR_FILENO + 1, ~0U, 0);
	raise_fd_limit();
	/* The program must not end when the reader of a socket or pipe has gone */
	signal(SIGPIPE, SIG_IGN);
	/* A full port is tried again after microseconds; the default slack is 50 us */
	prctl(PR_SET_TIMERSLACK, 1);
	err = device_run(device);
	free(device);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
