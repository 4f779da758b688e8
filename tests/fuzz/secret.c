// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Secret memory. The Makefile compiles this file without coverage: libFuzzer
 * would learn the word from comparisons with it, and put it into inputs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "secret.h"

#define SECRET_WORD 0x9ee1c3a75bd2f68dULL
#define HAUNTS_MAX 4096

static struct {
	int fd;
	uint64_t *word;
	struct iovec haunt[HAUNTS_MAX];
	unsigned int haunts;
} secret;

static void __attribute__((noreturn)) secret_fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

void secret_init(void)
{
	size_t i;

	secret.fd = memfd_create("secret", MFD_CLOEXEC);
	if (secret.fd < 0 || ftruncate(secret.fd, SECRET_SIZE))
		secret_fail("cannot create the secret memory");
	secret.word = mmap(NULL, SECRET_SIZE, PROT_READ | PROT_WRITE,
			   MAP_SHARED, secret.fd, 0);
	if (secret.word == MAP_FAILED)
		secret_fail("cannot map the secret memory");
	for (i = 0; i < SECRET_SIZE / sizeof(*secret.word); i++)
		secret.word[i] = SECRET_WORD;
}

int secret_fd(void)
{
	return secret.fd;
}

bool secret_is_in(const void *p, size_t len)
{
	const uint8_t *byte = p;
	uint64_t word;
	size_t i;

	for (i = 0; i + sizeof(word) <= len; i++) {
		if (byte[i] != (uint8_t)SECRET_WORD)
			continue;
		/* A loop and not memcmp(), which sanitizers report */
		for (word = 0; word < sizeof(word); word++)
			if (byte[i + word] != (uint8_t)(SECRET_WORD >> 8 * word))
				break;
		if (word == sizeof(word))
			return true;
	}
	return false;
}

bool secret_is_in_frame(const struct frame *frame)
{
	unsigned int i;

	if (secret_is_in(frame->hdr, frame->hdr_len))
		return true;
	for (i = 0; i < frame->iov_count; i++)
		if (secret_is_in(frame->iov[i].iov_base, frame->iov[i].iov_len))
			return true;
	return false;
}

void secret_haunt(void *addr, size_t len)
{
	size_t piece;
	void *at;

	for (; len; len -= piece, addr = (char *)addr + piece) {
		piece = len < SECRET_SIZE ? len : SECRET_SIZE;
		if (secret.haunts == HAUNTS_MAX)
			return;
		at = mmap(addr, piece, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED_NOREPLACE, secret.fd, 0);
		if (at == MAP_FAILED)
			continue;
		secret.haunt[secret.haunts].iov_base = at;
		secret.haunt[secret.haunts++].iov_len = piece;
	}
}

void secret_check(void)
{
	size_t i;

	while (secret.haunts--)
		munmap(secret.haunt[secret.haunts].iov_base,
		       secret.haunt[secret.haunts].iov_len);
	secret.haunts = 0;
	for (i = 0; i < SECRET_SIZE / sizeof(*secret.word); i++)
		if (secret.word[i] != SECRET_WORD)
			secret_fail("memory of another client was changed");
}
