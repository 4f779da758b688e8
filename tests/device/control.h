/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The control socket. A request is one line, words separated by spaces; the
 * answer is one line of JSON: an object, with the member "error" if the request
 * was refused.
 */
#ifndef ORNIC_DEVICE_CONTROL_H
#define ORNIC_DEVICE_CONTROL_H

struct control;
struct device;

/**
 * control_create - listen
 * @device: the program; outlives the control socket
 * @path: of the socket; outlives it too
 * @out: the control socket
 *
 * Return: 0 or a negative errno, and a message was logged.
 */
int control_create(struct device *device, const char *path,
		   struct control **out);

/**
 * control_destroy - end of control_create(); removes the socket
 * @control: the control socket or NULL
 */
void control_destroy(struct control *control);

#endif /* ORNIC_DEVICE_CONTROL_H */
