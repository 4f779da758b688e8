/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The cards of the process: those of the options, and those that come and go later */
#ifndef ORNIC_DEVICE_CARDS_H
#define ORNIC_DEVICE_CARDS_H

struct device;
struct json_object;
struct slot;

/**
 * cards_create - create the cards of the options
 * @device: the program
 *
 * Return: 0, or a negative errno after logging a message; cards_destroy() follows in
 * any case.
 */
int cards_create(struct device *device);

/**
 * cards_destroy - destroy all cards
 * @device: the program
 */
void cards_destroy(struct device *device);

/**
 * cards_find - find a card
 * @device: the program
 * @name: its name, or NULL
 *
 * Return: NULL if there is none, or if it is leaving.
 */
struct slot *cards_find(const struct device *device, const char *name);

/**
 * cards_add - answer a request "add"
 * @device: the program
 * @words: the words of the request, with NULL at the end
 * @listener: the descriptor that came with it, or -1; taken over by a new card, which
 *	leaves -1
 *
 * Return: the answer.
 */
struct json_object *cards_add(struct device *device, char **words, int *listener);

/**
 * cards_remove - answer a request "remove"
 * @device: the program
 * @words: the words of the request, with NULL at the end
 *
 * The card leaves when its memory is free. Until then it has its name and address.
 *
 * Return: the answer.
 */
struct json_object *cards_remove(struct device *device, char **words);

#endif /* ORNIC_DEVICE_CARDS_H */
