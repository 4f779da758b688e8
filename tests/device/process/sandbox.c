// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rights that the program gives up when everything is open */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/futex.h>
#include <pwd.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "env/list.h"
#include "env/number.h"
#include "process/sandbox.h"

/* Instrumentation makes calls of its own, some of them in other processes */
#ifdef DEVICE_INSTRUMENTED
#define SANDBOX_BUILT false
#else
#define SANDBOX_BUILT true
#endif

/*
 * All that the event loop and the end of the program need, whatever their
 * arguments are. Nothing here opens, creates or executes a file, makes a socket
 * or a process, or touches another process.
 */
static const int sandbox_calls[] = {
	/* Sockets, ports, capture, log */
	SCMP_SYS(accept4),
	SCMP_SYS(close),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(readv),
	SCMP_SYS(recvfrom),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendmsg),
	SCMP_SYS(sendto),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	/* Event loop, time, interrupts, the spare descriptor */
	SCMP_SYS(clock_gettime),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_pwait2),
	SCMP_SYS(eventfd2),
	SCMP_SYS(io_destroy),
	SCMP_SYS(io_getevents),
	SCMP_SYS(io_submit),
	SCMP_SYS(restart_syscall),
	/* The client's files, and zeros in place of one that shrank */
	SCMP_SYS(fstat),
	SCMP_SYS(fstatfs),
	SCMP_SYS(ftruncate),
	SCMP_SYS(memfd_create),
	SCMP_SYS(munmap),
	/* Heap, the thread of the reaper, and random numbers */
	SCMP_SYS(brk),
	SCMP_SYS(exit),
	SCMP_SYS(getrandom),
	SCMP_SYS(madvise),
	SCMP_SYS(mremap),
	/* The end, by abort(), too */
	SCMP_SYS(exit_group),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sched_yield),
};

static bool sandbox_read_ids(const char *uid, const char *gid,
			     struct sandbox_user *user)
{
	uint64_t id[2];

	/* All ones means "no change" to the kernel */
	if (!number_parse(uid, 0, UINT32_MAX - 1, &id[0]) ||
	    !number_parse(gid, 0, UINT32_MAX - 1, &id[1]))
		return false;
	user->uid = id[0];
	user->gid = id[1];
	return true;
}

bool sandbox_find_user(const char *text, struct sandbox_user *user)
{
	const char *colon = strchr(text, ':');
	const struct passwd *entry;
	char uid[sizeof("4294967295")];

	if (colon)
		return snprintf(uid, sizeof(uid), "%.*s", (int)(colon - text),
				text) < (int)sizeof(uid) &&
		       sandbox_read_ids(uid, colon + 1, user);
	entry = getpwnam(text);
	if (!entry)
		return false;
	user->uid = entry->pw_uid;
	user->gid = entry->pw_gid;
	return true;
}

int sandbox_become(const struct log *log, const struct sandbox_user *user)
{
	int err = 0;

	if (setgroups(0, NULL) ||
	    setresgid(user->gid, user->gid, user->gid) ||
	    setresuid(user->uid, user->uid, user->uid))
		err = -errno;
	if (err)
		log_msg(log, ENV_LOG_ERR, NULL,
			"cannot become user %u with group %u: %s", user->uid,
			user->gid, strerror(-err));
	return err;
}

/*
 * A forbidden call was not executed. Say which it was, and end the process with
 * another one: SIGSYS has its default action again (SA_RESETHAND).
 */
static void sandbox_breach(int sig, siginfo_t *info, void *context)
{
	static const struct log log = { .level = ENV_LOG_ERR };

	(void)sig;
	(void)context;
	log_msg(&log, ENV_LOG_ERR, NULL,
		"the sandbox forbids system call %d, ending",
		info->si_syscall);
	syscall(SYS_getppid);
}

static int sandbox_limit(unsigned int fds)
{
	const struct {
		int resource;
		rlim_t value;
	} limits[] = {
		/* The core would show the memory of guests */
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_MEMLOCK, 0 },
		{ RLIMIT_NOFILE, fds },
		{ RLIMIT_NPROC, 0 },
	};
	struct rlimit limit;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		if (getrlimit(limits[i].resource, &limit))
			return -errno;
		/* A lower limit from outside stays */
		if (limit.rlim_max > limits[i].value)
			limit.rlim_max = limits[i].value;
		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(limits[i].resource, &limit))
			return -errno;
	}
	return 0;
}

/* Calls whose arguments matter */
static int sandbox_add_rules(scmp_filter_ctx ctx)
{
	static const int futex_ops[] = { FUTEX_WAIT, FUTEX_WAKE,
					 FUTEX_WAIT_BITSET };
	size_t i;
	int err;

	/* Memory, but no new program code */
	err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
			       SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	/* Mutexes, condition variables, the end of the reaper */
	for (i = 0; !err && i < ARRAY_SIZE(futex_ops); i++)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(futex), 1,
				       SCMP_A1(SCMP_CMP_MASKED_EQ,
					       (uint32_t)FUTEX_CMD_MASK,
					       futex_ops[i]));
	/* fstat() of libc: the path is empty, or the call useless */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW,
				       SCMP_SYS(newfstatat), 1,
				       SCMP_A3(SCMP_CMP_MASKED_EQ,
					       AT_EMPTY_PATH, AT_EMPTY_PATH));
	/* A fault that is not in guest memory: default action (mem.c) */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW,
				       SCMP_SYS(rt_sigaction), 1,
				       SCMP_A0(SCMP_CMP_EQ, SIGBUS, 0));
	/* Is it a listener that a client of the control socket has sent? */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW,
				       SCMP_SYS(getsockopt), 2,
				       SCMP_A1(SCMP_CMP_EQ, SOL_SOCKET, 0),
				       SCMP_A2(SCMP_CMP_EQ, SO_ACCEPTCONN, 0));
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
				       SCMP_A1(SCMP_CMP_EQ, F_GETFL, 0));
	/* abort() */
	if (!err)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 2,
				       SCMP_A0(SCMP_CMP_EQ, getpid(), 0),
				       SCMP_A2(SCMP_CMP_EQ, SIGABRT, 0));
	return err;
}

static int sandbox_add_calls(scmp_filter_ctx ctx)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < ARRAY_SIZE(sandbox_calls); i++)
		err = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, sandbox_calls[i],
				       0);
	return err;
}

/*
 * The filter also sets no_new_privs. SECCOMP_RET_TRAP is as strict as
 * SECCOMP_RET_KILL_PROCESS, because the process cannot keep SIGSYS from ending
 * it; system calls of another architecture get the latter.
 */
static int sandbox_filter(void)
{
	const struct sigaction action = {
		.sa_sigaction = sandbox_breach,
		.sa_flags = SA_SIGINFO | SA_RESETHAND,
	};
	scmp_filter_ctx ctx;
	int err;

	ctx = seccomp_init(SCMP_ACT_TRAP);
	if (!ctx)
		return -ENOMEM;
	err = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
			       SCMP_ACT_KILL_PROCESS);
	/* The reaper, too */
	if (!err)
		err = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
	/* No code of others runs here: no need to give up speculation */
	if (!err)
		err = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_SSB, 1);
	if (!err)
		err = seccomp_attr_set(ctx, SCMP_FLTATR_API_SYSRAWRC, 1);
	if (!err)
		err = sandbox_add_calls(ctx);
	if (!err)
		err = sandbox_add_rules(ctx);
	if (!err && sigaction(SIGSYS, &action, NULL))
		err = -errno;
	if (!err)
		err = seccomp_load(ctx);
	seccomp_release(ctx);
	return err;
}

int sandbox_enter(const struct log *log, enum sandbox_mode mode,
		  unsigned int fds)
{
	int err;

	if (!SANDBOX_BUILT && mode == SANDBOX_AUTO)
		return 0;
	err = SANDBOX_BUILT ? sandbox_limit(fds) : -EOPNOTSUPP;
	if (!err)
		err = sandbox_filter();
	if (!err)
		return 0;
	if (mode == SANDBOX_AUTO) {
		log_msg(log, ENV_LOG_INFO, NULL,
			"runs without a sandbox: %s", strerror(-err));
		return 0;
	}
	log_msg(log, ENV_LOG_ERR, NULL, "cannot enter the sandbox: %s",
		strerror(-err));
	return err;
}
