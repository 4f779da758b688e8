// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* One Ethernet frame per datagram between two Unix sockets, as QEMU does it */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/sock.h"
#include "ports/port_fd.h"

int port_dgram_create(struct loop *loop, const struct log *log,
		      const char *local, const char *remote,
		      const struct port_fd_config *config)
{
	struct sockaddr_un peer;
	struct port_fd *pfd;
	int fd, err;

	err = sock_address(remote, &peer);
	if (err) {
		log_msg(log, ENV_LOG_ERR, local, "remote path is too long: %s",
			remote);
		return err;
	}
	fd = sock_bind(local, SOCK_DGRAM);
	if (fd < 0) {
		log_msg(log, ENV_LOG_ERR, local, "cannot make the socket: %s",
			strerror(-fd));
		return fd;
	}
	err = port_fd_create(loop, local, fd, config, &pfd);
	if (err) {
		log_msg(log, ENV_LOG_ERR, local, "cannot make the port: %s",
			strerror(-err));
		goto close_fd;
	}
	pfd->is_socket = true;
	pfd->peer = peer;
	pfd->path = local;
	pfd->log = log;
	return 0;

close_fd:
	close(fd);
	unlink(local);
	return err;
}
