// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ornic-device: create what the command line describes, run it, destroy it */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "control.h"
#include "device.h"
#include "port_fd.h"

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

/* Each vector of each card needs a descriptor */
static void raise_fd_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int cards_create(struct device *device)
{
	const struct options *options = &device->options;
	const struct options_nic *nic;
	int err;

	for (; device->card_count < options->nic_count; device->card_count++) {
		nic = &options->nic[device->card_count];
		err = card_create(&device->loop, &options->log, &nic->config,
				  nic->path, &device->card[device->card_count]);
		if (err)
			return err;
		log_msg(&options->log, ENV_LOG_INFO, nic->name,
			"waiting for QEMU on %s", nic->path);
	}
	return 0;
}

static void cards_destroy(struct device *device)
{
	while (device->card_count)
		card_destroy(device->card[--device->card_count]);
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
						  port->tap) :
				  port_dgram_create(&device->loop,
						    &options->log, port->local,
						    port->remote);
		if (err)
			return err;
	}
	return 0;
}

static int device_run(struct device *device)
{
	const struct options *options = &device->options;
	const struct log *log = &options->log;
	int err;

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
		err = loop_run(&device->loop);
	control_destroy(device->control);
	cards_destroy(device);
	capture_destroy(device->capture);
	signals_destroy(device);
uninit_loop:
	loop_uninit(&device->loop);
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
	raise_fd_limit();
	/* The program must not end when the reader of a socket or pipe has gone */
	signal(SIGPIPE, SIG_IGN);
	err = device_run(device);
	free(device);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
