// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Stores to the doorbell page on s390x. Its processors do not reach device memory by ordinary
 * instructions, so rdma-core uses a system call or, if it finds them, special instructions. The
 * fake device has ordinary memory in place of the page.
 */
#ifdef __s390x__
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <util/mmio.h>

bool s390_is_mio_supported;

long __wrap_syscall(long number, void *to, const void *from, size_t length);

long __wrap_syscall(long number, void *to, const void *from, size_t length)
{
	if (number != __NR_s390_pci_mmio_write) {
		errno = ENOSYS;
		return -1;
	}
	/* One access, because other threads poll the page */
	if (length == sizeof(uint64_t))
		__atomic_store((uint64_t *)to, (uint64_t *)from, __ATOMIC_RELEASE);
	else
		memcpy(to, from, length);
	return 0;
}
#endif
