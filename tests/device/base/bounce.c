// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Bounce buffers for payload */
#include <errno.h>
#include <stdlib.h>

#include "base/bounce.h"

int bounce_init(struct bounce *bounce)
{
	bounce->next = 0;
	bounce->mem = malloc(BOUNCE_COUNT * sizeof(*bounce->mem));
	return bounce->mem ? 0 : -ENOMEM;
}

void bounce_uninit(struct bounce *bounce)
{
	free(bounce->mem);
	bounce->mem = NULL;
}
