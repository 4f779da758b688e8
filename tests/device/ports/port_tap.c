// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A TAP interface of the host as a port */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ports/port_fd.h"

int port_tap_create(struct loop *loop, const struct log *log, const char *name,
		    const struct port_fd_config *config)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	struct port_fd *pfd;
	int fd, err;

	if (strlen(name) >= sizeof(ifr.ifr_name)) {
		log_msg(log, ENV_LOG_ERR, name, "interface name is too long");
		return -ENAMETOOLONG;
	}
	strcpy(ifr.ifr_name, name);
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		log_msg(log, ENV_LOG_ERR, name, "cannot open /dev/net/tun: %s",
			strerror(-err));
		return err;
	}
	if (ioctl(fd, TUNSETIFF, &ifr)) {
		err = -errno;
		log_msg(log, ENV_LOG_ERR, name, "cannot attach to the TAP: %s",
			strerror(-err));
		goto close_fd;
	}
	err = port_fd_create(loop, name, fd, config, &pfd);
	if (err) {
		log_msg(log, ENV_LOG_ERR, name, "cannot make the port: %s",
			strerror(-err));
		goto close_fd;
	}
	return 0;

close_fd:
	close(fd);
	return err;
}
