// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Unix sockets at a path */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "loop/sock.h"

#define SOCK_BACKLOG 8

int sock_address(const char *path, struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(address->sun_path))
		return -ENAMETOOLONG;
	strcpy(address->sun_path, path);
	return 0;
}

int sock_remove(const char *path)
{
	struct sockaddr_un address;
	struct stat st;
	int fd, err;

	err = sock_address(path, &address);
	if (err)
		return err;
	if (lstat(path, &st) || !S_ISSOCK(st.st_mode))
		return -EADDRINUSE;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* EPROTOTYPE if a process uses it as a datagram socket */
	err = connect(fd, (struct sockaddr *)&address, sizeof(address)) ? errno : 0;
	close(fd);
	if (err != ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(path) ? -errno : 0;
}

int sock_bind(const char *path, int type)
{
	struct sockaddr_un address;
	int fd, err;

	err = sock_address(path, &address);
	if (err)
		return err;
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	err = bind(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno :
								       0;
	if (err == -EADDRINUSE) {
		err = sock_remove(path);
		if (err)
			goto close_fd;
		err = bind(fd, (struct sockaddr *)&address, sizeof(address)) ?
			      -errno :
			      0;
	}
	if (err)
		goto close_fd;
	if (type == SOCK_STREAM && listen(fd, SOCK_BACKLOG)) {
		err = -errno;
		goto unlink_path;
	}
	return fd;

unlink_path:
	unlink(path);
close_fd:
	close(fd);
	return err;
}

static int accept_one(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int sock_accept(int listener, int *spare)
{
	int fd, refused;

	if (*spare < 0)
		*spare = eventfd(0, EFD_CLOEXEC);
	fd = accept_one(listener);
	if ((fd != -EMFILE && fd != -ENFILE) || *spare < 0)
		return fd;
	close(*spare);
	refused = accept_one(listener);
	if (refused >= 0)
		close(refused);
	*spare = eventfd(0, EFD_CLOEXEC);
	return fd;
}
