/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The control socket. A request is one line, words separated by spaces; the
 * answer is one line of JSON: an object, with the member "error" if the request
 * was refused. Packets follow the answer to "capture" (stream.h).
 */
#ifndef ORNIC_DEVICE_CONTROL_H
#define ORNIC_DEVICE_CONTROL_H

struct control;
struct device;

/**
 * control_create - create the control socket and listen
 * @device: the program; outlives the control socket
 * @path: path of the socket; outlives the control socket
 * @out: the control socket
 *
 * Return: 0, or a negative errno after logging a message.
 */
int control_create(struct device *device, const char *path,
		   struct control **out);

/**
 * control_destroy - undo control_create(); removes the path
 * @control: the control socket or NULL
 */
void control_destroy(struct control *control);

#endif /* ORNIC_DEVICE_CONTROL_H */
