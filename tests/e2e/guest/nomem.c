// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * usage: nomem sweep GROWTH own|all DEVICE GID-INDEX GROUP|ENTRY...
 *        nomem random PER-CENT SECONDS
 *        nomem ready
 *
 * `sweep` lets each allocation in an entry point of the drivers fail, one at a time: the n-th of a
 * call, for n = 1, 2, ... until a call ends before its n-th. A call that fails must return the
 * right errno, and the same call without a fault must then succeed. n grows by GROWTH per cent, or
 * by one if GROWTH is 0; then the last allocation of the call is looked for, if it has more than
 * 16 to within a sixteenth. Prints a line per entry point: the calls with a fault, how many of
 * these faults were in copying to or from the process and not in an allocation, how many calls
 * were refused and how many survived, and the largest n.
 *
 * `random` lets PER-CENT of the allocations fail for SECONDS, in any context: interrupts, work
 * items, all processes.
 *
 * `ready` lets nothing fail, and leaves the kernel so that fail-nth of any task can.
 *
 * With `own`, and always with `random`, only allocations below a function of the drivers fail;
 * with `all` also those that the kernel makes for itself.
 *
 * Needs a kernel with FAILSLAB, FAIL_PAGE_ALLOC, FAULT_INJECTION_USERCOPY and
 * FAULT_INJECTION_STACKTRACE_FILTER. With NOMEM_VERBOSE in the environment the kernel prints the
 * stack of each failure.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "nomem.h"

#define DEBUGFS "/sys/kernel/debug/"
/* Kinds of faults that the kernel can inject */
enum fault { FAULT_SLAB, FAULT_PAGE, FAULT_USERCOPY, FAULTS };

/* Number of faults so far, by kind */
struct faults {
	unsigned long count[FAULTS];
};

/* Results of a sweep */
struct sweep {
	unsigned int growth;	/* per cent by which n grows each time; 0: by one */
	unsigned int last;	/* the largest n that was reached */
	unsigned int injected;
	unsigned int copies;	/* injected into copying; the others into allocations */
	unsigned int refused;	/* calls that failed because of a fault */
	unsigned int survived;	/* calls that succeeded in spite of a fault */
};

/* More faults than will ever occur; the kernel counts this down for each one */
#define TIMES 1000000000ul
/* More allocations than any call of the drivers makes */
#define N_MAX 20000

static const char *const kinds[FAULTS] = {
	[FAULT_SLAB] = "failslab",
	[FAULT_PAGE] = "fail_page_alloc",
	[FAULT_USERCOPY] = "fail_usercopy",
};

static void set(const char *kind, const char *name, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), DEBUGFS "%s/%s", kind, name);
	fd = open(path, O_WRONLY);
	want(fd >= 0, "%s: %s", path, strerror(errno));
	want(write(fd, value, strlen(value)) > 0, "%s: %s", path, strerror(errno));
	close(fd);
}

static unsigned long get(const char *kind, const char *name)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), DEBUGFS "%s/%s", kind, name);
	fd = open(path, O_RDONLY);
	want(fd >= 0, "%s: %s", path, strerror(errno));
	want(read(fd, text, sizeof(text) - 1) > 0, "%s: %s", path, strerror(errno));
	close(fd);
	return strtoul(text, NULL, 10);
}

/* Find the text of both modules, with anything between them */
static void find_modules(unsigned long *start, unsigned long *end)
{
	unsigned long size, address;
	char line[512], name[64];
	FILE *file = made(fopen("/proc/modules", "r"));

	*start = ULONG_MAX;
	*end = 0;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %lu %*s %*s %*s %lx", name, &size, &address) != 3 ||
		    (strcmp(name, "ornic") && strcmp(name, "ornic_rdma")))
			continue;
		if (address < *start)
			*start = address;
		if (address + size > *end)
			*end = address + size;
	}
	fclose(file);
	want(*start < *end, "the modules are not loaded");
}

/* Find the text of a function of the kernel, which lists its symbols by address */
static void find_function(const char *name, unsigned long *start, unsigned long *end)
{
	unsigned long address;
	char line[512], symbol[256];
	FILE *file = made(fopen("/proc/kallsyms", "r"));

	*start = 0;
	*end = 0;
	while (!*end && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx %*c %255s", &address, symbol) != 2)
			continue;
		if (*start && address > *start)
			*end = address;
		else if (!strcmp(symbol, name))
			*start = address;
	}
	fclose(file);
	want(*start && *end, "the kernel has no %s()", name);
}

static void set_address(const char *kind, const char *name, unsigned long address)
{
	char text[32];

	snprintf(text, sizeof(text), "%#lx", address);
	set(kind, name, text);
}

/* Only calls with an address of this range on the stack fail */
static void set_range(const char *kind, unsigned long start, unsigned long end)
{
	set_address(kind, "require-start", start);
	set_address(kind, "require-end", end);
}

static unsigned long range_start, range_end;

/*
 * own: only allocations below functions of the drivers fail. Those of the
 * check of the DMA API never do, because it disables itself then.
 */
static void faults_set_up(bool own)
{
	unsigned long check_start, check_end;
	char text[32];
	int i;

	range_start = 0;
	range_end = ULONG_MAX;
	if (own)
		find_modules(&range_start, &range_end);
	find_function("add_dma_entry", &check_start, &check_end);
	set("failslab", "ignore-gfp-wait", "N");
	set("failslab", "cache-filter", "N");
	set("fail_page_alloc", "ignore-gfp-wait", "N");
	set("fail_page_alloc", "ignore-gfp-highmem", "N");
	set("fail_page_alloc", "min-order", "0");
	for (i = 0; i < FAULTS; i++) {
		set(kinds[i], "probability", "0");
		set(kinds[i], "task-filter", "Y");
		set(kinds[i], "stacktrace-depth", "32");
		set_range(kinds[i], range_start, range_end);
		set_address(kinds[i], "reject-start", check_start);
		set_address(kinds[i], "reject-end", check_end);
		set(kinds[i], "verbose", getenv("NOMEM_VERBOSE") ? "2" : "0");
		snprintf(text, sizeof(text), "%lu", TIMES);
		set(kinds[i], "times", text);
	}
}

static void faults_tear_down(void)
{
	int i;

	for (i = 0; i < FAULTS; i++)
		set_range(kinds[i], 0, ULONG_MAX);
}

/*
 * Switch the faults of copying. They are off while an object is destroyed: if the response cannot
 * be written the object is gone nevertheless, and the call cannot be repeated.
 */
static void faults_of_copying(bool on)
{
	set_range("fail_usercopy", on ? range_start : 1, on ? range_end : 2);
}

static struct faults faults_now(void)
{
	struct faults faults;
	int i;

	for (i = 0; i < FAULTS; i++)
		faults.count[i] = TIMES - get(kinds[i], "times");
	return faults;
}

/* Return: the number of faults since then, of all kinds */
static unsigned long faults_since(const struct faults *then)
{
	struct faults now = faults_now();
	unsigned long count = 0;
	int i;

	for (i = 0; i < FAULTS; i++)
		count += now.count[i] - then->count[i];
	return count;
}

/* Make the n-th call of this thread that can fail do so; 0: none */
static void fail_nth(unsigned int n)
{
	static int fd = -1;
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (fd < 0) {
		snprintf(text, sizeof(text), "%u", n);
		fd = open("/proc/thread-self/fail-nth", O_WRONLY | O_CLOEXEC);
		want(fd >= 0, "fail-nth: %s", strerror(errno));
	}
	/* A fault may hit this call itself, but only once */
	if (pwrite(fd, text, len, 0) != len)
		want(pwrite(fd, text, len, 0) == len, "fail-nth: %s", strerror(errno));
}

/* Return: the n after this one */
static unsigned int sweep_next(const struct sweep *sweep, unsigned int n)
{
	want(n < N_MAX, "%u allocations", n);
	return n + 1 + n * sweep->growth / 100;
}

static void sweep_print(const struct sweep *sweep, const char *name, const char *what)
{
	printf("%s%s: injected %u copies %u refused %u survived %u last %u\n", name, what,
	       sweep->injected, sweep->copies, sweep->refused, sweep->survived, sweep->last);
}

static bool hit_copying(const struct faults *before, const struct faults *after)
{
	return after->count[FAULT_USERCOPY] != before->count[FAULT_USERCOPY];
}

/* Out of memory; or the errno of a failed copy to or from the process */
static bool sensible(const struct entry *entry, int err, const struct faults *before,
		     const struct faults *after)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(entry->also) && entry->also[i]; i++)
		if (err == entry->also[i])
			return true;
	return err == ENOMEM || err == ENOBUFS ||
	       (err == EFAULT && hit_copying(before, after));
}

/*
 * Call one of the two functions of an entry with a fault at n, and the other one without faults.
 * Return: whether the fault occurred.
 */
static bool sweep_call(struct nomem *nomem, const struct entry *entry, struct sweep *sweep,
		       bool undo, unsigned int n)
{
	int (*call)(struct nomem *nomem) = undo ? entry->undo : entry->run;
	struct faults before, after;
	int err;

	if (undo)
		want_ok(entry->run(nomem));
	before = faults_now();
	fail_nth(n);
	err = call(nomem);
	fail_nth(0);
	after = faults_now();
	if (faults_since(&before)) {
		sweep->injected++;
		sweep->copies += hit_copying(&before, &after);
		sweep->last = n;
	} else {
		want(!err, "%s without a fault: %s", entry->name, strerror(err));
	}
	if (err) {
		want(sensible(entry, err, &before, &after), "%s, n = %u%s: %s", entry->name, n,
		     undo ? ", undo" : "", strerror(err));
		sweep->refused++;
		if (entry->check)
			entry->check(nomem);
		err = call(nomem);
		want(!err, "%s after n = %u%s: %s", entry->name, n, undo ? ", undo" : "",
		     strerror(err));
	} else if (faults_since(&before)) {
		sweep->survived++;
	}
	if (!undo && entry->undo)
		want_ok(entry->undo(nomem));
	return faults_since(&before);
}

/* Let n grow beyond the last fault, and then look for that one, which leaves most to undo */
static void sweep_calls(struct nomem *nomem, const struct entry *entry, struct sweep *sweep,
			bool undo)
{
	unsigned int hit = 0, missed, n;

	for (n = 1; sweep_call(nomem, entry, sweep, undo, n); n = sweep_next(sweep, n))
		hit = n;

	missed = n;
	while (missed - hit > 1 + hit / 16) {
		n = hit + (missed - hit) / 2;
		if (sweep_call(nomem, entry, sweep, undo, n))
			hit = n;
		else
			missed = n;
	}
}

static void sweep_entry(struct nomem *nomem, const struct entry *entry, unsigned int growth)
{
	struct sweep run = { .growth = growth }, undo = run;

	if (entry->prepare)
		entry->prepare(nomem);
	sweep_calls(nomem, entry, &run, false);
	sweep_print(&run, entry->name, "");
	if (entry->sweep_undo) {
		faults_of_copying(false);
		sweep_calls(nomem, entry, &undo, true);
		faults_of_copying(true);
		sweep_print(&undo, entry->name, ", undone");
	}
	if (entry->finish)
		entry->finish(nomem);
}

static void set_probability(const char *percent)
{
	set("failslab", "probability", percent);
	set("fail_page_alloc", "probability", percent);
}

static void fail_at_random(const char *percent, unsigned int seconds)
{
	struct faults before;

	set("failslab", "task-filter", "N");
	set("fail_page_alloc", "task-filter", "N");
	before = faults_now();
	set_probability(percent);
	sleep(seconds);
	set_probability("0");
	printf("random: injected %lu\n", faults_since(&before));
}

struct group {
	const char *name;
	const struct entry *entries;
	bool verbs;	/* needs an open device */
};

static const struct group groups[] = {
	{ "object", object_entries, true },
	{ "qp", qp_entries, true },
	{ "memory", memory_entries, true },
	{ "frame", frame_entries, true },
	{ "netdev", netdev_entries, false },
	{ "settings", settings_entries, false },
	{ "probe", probe_entries, false },
};

static void open_handle(struct nomem *nomem, struct ibv_device **list)
{
	for (; *list; list++)
		if (!strcmp(ibv_get_device_name(*list), nomem->device))
			nomem->handle = *list;
	want(nomem->handle, "%s", nomem->device);
}

/* names: groups or entry points. Return: the number of entry points swept. */
static unsigned int sweep_group(struct nomem *nomem, const struct group *group,
				unsigned int growth, bool own, char **names)
{
	const struct entry *entry;
	unsigned int count = 0;
	char **name;

	for (entry = group->entries; entry->name; entry++) {
		for (name = names; *name; name++)
			if (!strcmp(*name, group->name) || !strcmp(*name, entry->name))
				break;
		if (!*name)
			continue;
		if (group->verbs && !nomem->port.ctx)
			port_open(&nomem->port, nomem->device, nomem->port.gid_index);
		faults_set_up(own || entry->own_only);
		sweep_entry(nomem, entry, growth);
		count++;
	}
	if (nomem->port.ctx) {
		want_ok(ibv_dealloc_pd(nomem->port.pd));
		want_ok(ibv_close_device(nomem->port.ctx));
		nomem->port.ctx = NULL;
	}
	return count;
}

static int sweep(unsigned int growth, bool own, const char *device, unsigned int gid_index,
		 char **names)
{
	struct nomem nomem = { .device = device, .port.gid_index = gid_index };
	struct ibv_device **list = made(ibv_get_device_list(NULL));
	unsigned int count = 0;
	size_t i;

	open_handle(&nomem, list);
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		count += sweep_group(&nomem, &groups[i], growth, own, names);
	ibv_free_device_list(list);
	return count ? 0 : 2;
}

int main(int argc, char **argv)
{
	int ret;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 4 && !strcmp(argv[1], "random")) {
		faults_set_up(true);
		fail_at_random(argv[2], atoi(argv[3]));
		ret = 0;
	} else if (argc == 2 && !strcmp(argv[1], "ready")) {
		faults_set_up(false);
		return 0;
	} else if (argc > 6 && !strcmp(argv[1], "sweep")) {
		ret = sweep(atoi(argv[2]), !strcmp(argv[3], "own"), argv[4], atoi(argv[5]),
			    argv + 6);
	} else {
		fprintf(stderr,
			"usage: nomem sweep GROWTH own|all DEVICE GID-INDEX GROUP|ENTRY...\n"
			"       nomem random PER-CENT SECONDS\n"
			"       nomem ready\n");
		return 2;
	}
	faults_tear_down();
	return ret;
}
