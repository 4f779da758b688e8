// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A process of 32 or of 64 bits, whichever this is compiled for, that gets a context, a PD and a CQ
 * by ioctl(), maps their pages and leaves. It is linked without a library, because the root tree
 * has none for 32 bits; the driver's layouts of structures are the same for both.
 *
 * usage: bits32|bits64 DEVICE-NODE
 * Prints the number of bits and the driver's responses in hexadecimal.
 */
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include <rdma/ornic-abi.h>

#define CQE_COUNT 100
#define ATTRS_MAX 8
#define TEXT_MAX 1024
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define PAGE_SHIFT 12
#define ERRNO_MAX 4095

#ifdef __i386__
#define BITS "32"
/* mmap2(): the offset is in pages */
#define NR_MMAP __NR_mmap2
#define MMAP_OFFSET(offset) ((long)((offset) >> PAGE_SHIFT))
__asm__(".globl _start\n"
	"_start:\n"
	"	mov %esp, %eax\n"
	"	and $-16, %esp\n"
	"	sub $12, %esp\n"
	"	push %eax\n"
	"	call begin\n");
#else
#define BITS "64"
#define NR_MMAP __NR_mmap
#define MMAP_OFFSET(offset) ((long)(offset))
__asm__(".globl _start\n"
	"_start:\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call begin\n");
#endif

/* Requests of at most 8 bytes are inside their attribute */
_Static_assert(sizeof(struct ornic_alloc_ucontext_req) == 8, "");
_Static_assert(sizeof(struct ornic_create_cq_req) == 8, "");
_Static_assert(sizeof(struct ib_uverbs_alloc_pd) == 8, "");

struct request {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attr[ATTRS_MAX];
};

static char text[TEXT_MAX];
static unsigned int text_len;

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	long result;

#ifdef __i386__
	register long sixth __asm__("ebp") = f;

	__asm__ volatile("int $0x80" : "=a" (result)
			 : "a" (number), "b" (a), "c" (b), "d" (c), "S" (d), "D" (e), "r" (sixth)
			 : "memory");
#else
	register long fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = f;

	__asm__ volatile("syscall" : "=a" (result)
			 : "a" (number), "D" (a), "S" (b), "d" (c), "r" (fourth), "r" (fifth),
			   "r" (sixth)
			 : "rcx", "r11", "memory");
#endif
	return result;
}

static void print(const char *word)
{
	while (*word && text_len < TEXT_MAX)
		text[text_len++] = *word++;
}

static void print_hex(const char *name, const void *bytes, unsigned int len)
{
	const __u8 *byte = bytes;
	char digits[3] = "";
	unsigned int i;

	print(name);
	for (i = 0; i < len; i++) {
		digits[0] = "0123456789abcdef"[byte[i] >> 4];
		digits[1] = "0123456789abcdef"[byte[i] & 15];
		print(digits);
	}
	print("\n");
}

static void __attribute__((noreturn)) leave(int code)
{
	call(__NR_write, 1, (long)text, text_len, 0, 0, 0);
	for (;;)
		call(__NR_exit_group, code, 0, 0, 0, 0, 0);
}

/* Return: the result of a system call, which must succeed */
static long must(const char *what, long result)
{
	char digits[] = "0000\n";
	unsigned int err = -result;
	int i;

	if ((unsigned long)result < -(unsigned long)ERRNO_MAX)
		return result;
	for (i = 3; i >= 0; i--, err /= 10)
		digits[i] += err % 10;
	print(what);
	print(": errno ");
	print(digits);
	leave(1);
}

/* Add an attribute, whose value is @len bytes at @data, or in @data itself up to 8 */
static void attr(struct request *request, unsigned int id, unsigned int len, __u64 data)
{
	struct ib_uverbs_attr *at = &request->attr[request->hdr.num_attrs++];

	at->attr_id = id;
	at->len = len;
	at->flags = UVERBS_ATTR_F_MANDATORY;
	at->data = data;
}

static __u64 address(const void *at)
{
	return (unsigned long)at;
}

static void run(int fd, const char *what, struct request *request, unsigned int object,
		unsigned int method)
{
	request->hdr.object_id = object;
	request->hdr.method_id = method;
	request->hdr.length = sizeof(request->hdr) +
			      request->hdr.num_attrs * sizeof(request->attr[0]);
	must(what, call(__NR_ioctl, fd, RDMA_VERBS_IOCTL, (long)request, 0, 0, 0));
}

static void *map(int fd, __u64 len, long prot, __u64 offset)
{
	return (void *)must("mmap", call(NR_MMAP, 0, (long)len, prot, MAP_SHARED, fd,
					 MMAP_OFFSET(offset)));
}

static void get_context(int fd)
{
	static struct ornic_alloc_ucontext_resp resp;
	static struct request request;
	static __u32 vectors;

	attr(&request, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, sizeof(vectors),
	     address(&vectors));
	attr(&request, UVERBS_ATTR_UHW_IN, sizeof(struct ornic_alloc_ucontext_req), 0);
	attr(&request, UVERBS_ATTR_UHW_OUT, sizeof(resp), address(&resp));
	run(fd, "get_context", &request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	print_hex("vectors ", &vectors, sizeof(vectors));
	print_hex("context ", &resp, sizeof(resp));

	map(fd, resp.db.length, PROT_WRITE, resp.db.offset);
	if (resp.caps & ORNIC_UCONTEXT_CAP_SHADOW)
		map(fd, resp.board.length, PROT_READ | PROT_WRITE, resp.board.offset);
	if (resp.caps & ORNIC_UCONTEXT_CAP_CLOCK)
		map(fd, resp.clock.length, PROT_READ, resp.clock.offset);
}

/* A command of write(), in an ioctl() */
static void alloc_pd(int fd)
{
	static struct ib_uverbs_alloc_pd_resp core;
	static struct request request;

	attr(&request, UVERBS_ATTR_WRITE_CMD, sizeof(__u64), IB_USER_VERBS_CMD_ALLOC_PD);
	/* All zero: the response has an attribute of its own */
	attr(&request, UVERBS_ATTR_CORE_IN, sizeof(struct ib_uverbs_alloc_pd), 0);
	attr(&request, UVERBS_ATTR_CORE_OUT, sizeof(core), address(&core));
	run(fd, "alloc_pd", &request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
}

static void create_cq(int fd)
{
	static struct ornic_create_cq_resp resp;
	static struct request request;
	static __u32 cqe;
	volatile __u8 *ring;

	attr(&request, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
	attr(&request, UVERBS_ATTR_CREATE_CQ_CQE, sizeof(__u32), CQE_COUNT);
	attr(&request, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, sizeof(__u64), 0);
	attr(&request, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, sizeof(__u32), 0);
	attr(&request, UVERBS_ATTR_CREATE_CQ_RESP_CQE, sizeof(cqe), address(&cqe));
	attr(&request, UVERBS_ATTR_UHW_IN, sizeof(struct ornic_create_cq_req), 0);
	attr(&request, UVERBS_ATTR_UHW_OUT, sizeof(resp), address(&resp));
	run(fd, "create_cq", &request, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	print_hex("entries ", &cqe, sizeof(cqe));
	print_hex("cq ", &resp, sizeof(resp));

	ring = map(fd, resp.map.length, PROT_READ | PROT_WRITE, resp.map.offset);
	/* The last byte of the mapping is there, too */
	ring[resp.map.length - 1] = ring[0];
}

/* stack: as the kernel leaves it, with the number of arguments first */
void __attribute__((noreturn, used)) begin(const long *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);
	int fd;

	if (stack[0] != 2) {
		print("usage: bits" BITS " DEVICE-NODE\n");
		leave(2);
	}
	print("bits " BITS "\n");
	fd = must(argv[1], call(__NR_open, (long)argv[1], O_RDWR | O_CLOEXEC, 0, 0, 0, 0));
	get_context(fd);
	alloc_pd(fd);
	create_cq(fd);
	leave(0);
}
