/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * probe_phys: physically contiguous memory with known addresses, mapped with
 * a page size of choice, with counters, flushes and walks beside it.
 *
 * This header is the whole contract between probe_phys.ko and user space.
 *
 * THE CHARACTER DEVICE
 *
 * Opening /dev/probe_phys (mode 0600) makes a session.  All objects are file
 * descriptors with O_CLOEXEC: a session makes buffers and counter groups, a
 * buffer makes views.  A descriptor's last close frees the object, also when
 * the process is killed; a view keeps its buffer alive, a mapping its view.
 *
 *	fd		made by				understands
 *	session		open("/dev/probe_phys")		INFO BUFFER_CREATE
 *							COUNTERS_CREATE
 *							FLUSH_ALL PREFETCH
 *	buffer		BUFFER_CREATE			BUFFER_INFO
 *							BUFFER_EXTENTS
 *							BUFFER_FLUSH
 *							VIEW_CREATE WALK
 *	view		VIEW_CREATE			mmap VIEW_RESOLVE
 *							VIEW_FLUSH
 *							VIEW_ACCESSED
 *	counters	COUNTERS_CREATE			COUNTERS_CONTROL
 *							COUNTERS_READ
 *
 * Each ioctl takes a pointer to a struct whose first two fields are @size
 * (sizeof the struct as the caller knows it) and @flags.  A caller older than
 * the module may pass a shorter struct, but none shorter than the first
 * published one; what is missing counts as zero.  A caller newer than the
 * module may pass a longer one as long as the unknown tail is zero.  Outputs
 * are written back up to the caller's @size.
 *
 * Errors that any command can give, in the order in which they are checked:
 *
 *	ENOTTY	   the command is not one that this kind of descriptor knows
 *	EPERM	   the caller lacks CAP_SYS_ADMIN (INFO, buffers, views,
 *		   flushes, walks), perfmon_capable() (counters) or
 *		   CAP_SYS_RAWIO (prefetchers), now, not just at open; or the
 *		   kernel is locked down (see the command)
 *	EFAULT	   the struct cannot be read, or not be written back
 *	EINVAL	   @size is below the first published size or above one page
 *	E2BIG	   a non-zero byte beyond the struct that the module knows
 *	EINVAL	   an unknown bit in @flags, a reserved field that is not zero,
 *		   or what a command lists below
 *
 * A range is checked in this order: EINVAL for a zero length or a wrong
 * alignment, EOVERFLOW when offset + length wraps around 64 bits, ERANGE when
 * it ends beyond the object.  A descriptor in a struct that is not open gives
 * EBADF, one of the wrong kind EINVAL.  A CPU that does not exist or is
 * offline gives ENXIO.  A reached limit gives ENOSPC.
 *
 * Lockdown: opening and every command except INFO are refused with EPERM when
 * the kernel is locked down for /dev/mem-like access (LOCKDOWN_DEV_MEM,
 * "integrity"), PREFETCH also under LOCKDOWN_MSR, counters also under
 * LOCKDOWN_PERF ("confidentiality").
 */
#ifndef _UAPI_LINUX_PROBE_PHYS_H
#define _UAPI_LINUX_PROBE_PHYS_H

#include <linux/ioctl.h>
#include <linux/types.h>

/** PROBE_PHYS_ABI - version of this contract, in struct probe_phys_info */
#define PROBE_PHYS_ABI			1

#define PROBE_PHYS_DEVICE		"/dev/probe_phys"
#define PROBE_PHYS_IOC_MAGIC		0xB9

/* Limits that are part of the contract; tunable ones are in probe_phys_info. */
/** PROBE_PHYS_MAX_COUNTERS - most events in one counter group */
#define PROBE_PHYS_MAX_COUNTERS		8
/** PROBE_PHYS_MAX_ALIAS_PAGES - most virtual pages of one alias view */
#define PROBE_PHYS_MAX_ALIAS_PAGES	(1U << 20)
/** PROBE_PHYS_MAX_WALK_OFFSETS - most elements of one walked sequence */
#define PROBE_PHYS_MAX_WALK_OFFSETS	(1U << 22)
/** PROBE_PHYS_MAX_WALK_SAMPLES - most samples that one walk returns */
#define PROBE_PHYS_MAX_WALK_SAMPLES	(1U << 16)
/** PROBE_PHYS_DEFAULT_SLICE_NS - time with interrupts off if 0 is requested */
#define PROBE_PHYS_DEFAULT_SLICE_NS	1000000U
/** PROBE_PHYS_MAX_SLICE_NS - longest time with interrupts off on request */
#define PROBE_PHYS_MAX_SLICE_NS		2000000U

/* ------------------------------------------------------------------------ */
/* Session                                                                  */
/* ------------------------------------------------------------------------ */

/* Bits of probe_phys_info.features: what this kernel on this CPU can do. */
#define PROBE_PHYS_FEATURE_CONTIG	(1ULL << 0) /* contiguous-range rung */
#define PROBE_PHYS_FEATURE_BUDDY	(1ULL << 1) /* buddy rung */
#define PROBE_PHYS_FEATURE_IMPORT	(1ULL << 2) /* huge-page import rung */
#define PROBE_PHYS_FEATURE_VIEW_PMD	(1ULL << 3) /* views of pmd_bytes */
#define PROBE_PHYS_FEATURE_VIEW_PUD	(1ULL << 4) /* views of pud_bytes */
#define PROBE_PHYS_FEATURE_FLUSH_LINES	(1ULL << 5) /* BUFFER_FLUSH */
#define PROBE_PHYS_FEATURE_FLUSH_ALL	(1ULL << 6) /* FLUSH_ALL */
#define PROBE_PHYS_FEATURE_PREFETCH	(1ULL << 7) /* documented switch */
#define PROBE_PHYS_FEATURE_COUNTERS	(1ULL << 8) /* COUNTERS_CREATE */
#define PROBE_PHYS_FEATURE_VIRTUAL	(1ULL << 9) /* runs under a hypervisor:
						     * physical addresses are
						     * guest-physical
						     */
#define PROBE_PHYS_FEATURE_VIEW_ACCESSED (1ULL << 10) /* VIEW_ACCESSED */
#define PROBE_PHYS_FEATURE_VIEW_TABLES	(1ULL << 11) /* VIEW_ACCESSED of entries
						      * that point to tables
						      */

/**
 * struct probe_phys_info - what the module offers here
 * @size: (in) sizeof(struct probe_phys_info)
 * @flags: (in) must be 0
 * @abi: (out) PROBE_PHYS_ABI of the module
 * @page_bytes: (out) base page
 * @features: (out) PROBE_PHYS_FEATURE_* bits
 * @pmd_bytes: (out) page size one level up (2 MiB on x86-64), 0: no views
 * @pud_bytes: (out) page size two levels up (1 GiB on x86-64), 0: no views
 * @max_buffer_bytes: (out) cap on the bytes held by one session
 * @max_total_bytes: (out) cap on the bytes held by all sessions
 * @used_total_bytes: (out) bytes held now by all sessions
 * @tick_hz: (out) ticks per second of probe_phys_sample.ticks as the kernel
 *           knows it; 0: unknown.  A claim to be checked, not a measurement.
 * @line_bytes: (out) granule of the flush instruction, 0: no line flush
 * @reserved: (out) 0
 * @version: (out) module version, NUL-terminated
 */
struct probe_phys_info {
	__u32 size;
	__u32 flags;
	__u32 abi;
	__u32 page_bytes;
	__aligned_u64 features;
	__aligned_u64 pmd_bytes;
	__aligned_u64 pud_bytes;
	__aligned_u64 max_buffer_bytes;
	__aligned_u64 max_total_bytes;
	__aligned_u64 used_total_bytes;
	__aligned_u64 tick_hz;
	__u32 line_bytes;
	__u32 reserved;
	char version[32];
};

/* Scope of a flush of all caches. */
#define PROBE_PHYS_FLUSH_ALL_CPUS	(1U << 0) /* every CPU, @cpu ignored */

/**
 * struct probe_phys_flush_all - write back and invalidate all caches
 * @size: (in) sizeof(struct probe_phys_flush_all)
 * @flags: (in) PROBE_PHYS_FLUSH_ALL_CPUS or 0
 * @cpu: (in) the CPU whose caches are flushed; must be 0 with
 *       PROBE_PHYS_FLUSH_ALL_CPUS
 * @reserved: (in) must be 0
 *
 * x86: WBINVD.  A hypervisor may trap and ignore it: check by measurement.
 *
 * Errors: ENXIO; EOPNOTSUPP: there is no such instruction (arm64), or it must
 * not be used here (a TDX guest): PROBE_PHYS_FEATURE_FLUSH_ALL is not set.
 */
struct probe_phys_flush_all {
	__u32 size;
	__u32 flags;
	__u32 cpu;
	__u32 reserved;
};

/* Operations of PREFETCH. */
#define PROBE_PHYS_PREFETCH_QUERY	0
#define PROBE_PHYS_PREFETCH_SET		1

/* Prefetchers: bits of the masks below. */
#define PROBE_PHYS_PREFETCH_L1_STREAM	(1U << 0) /* next line into L1 */
#define PROBE_PHYS_PREFETCH_L1_STRIDE	(1U << 1) /* by instruction address */
#define PROBE_PHYS_PREFETCH_L1_REGION	(1U << 2)
#define PROBE_PHYS_PREFETCH_L2_STREAM	(1U << 3)
#define PROBE_PHYS_PREFETCH_L2_ADJACENT	(1U << 4) /* the other line of a pair */
#define PROBE_PHYS_PREFETCH_L2_UPDOWN	(1U << 5)
#define PROBE_PHYS_PREFETCH_ALL		0x3fU

/* Bits of probe_phys_prefetch.state. */
#define PROBE_PHYS_PREFETCH_OWNED	(1U << 0) /* by the calling session */
#define PROBE_PHYS_PREFETCH_BUSY	(1U << 1) /* by another session */
#define PROBE_PHYS_PREFETCH_INEFFECTIVE	(1U << 2) /* read-back differs */

/**
 * struct probe_phys_prefetch - query or switch the hardware prefetchers
 * @size: (in) sizeof(struct probe_phys_prefetch)
 * @flags: (in) must be 0
 * @op: (in) PROBE_PHYS_PREFETCH_QUERY or PROBE_PHYS_PREFETCH_SET
 * @cpu: (in) the CPU
 * @mask: (in) SET: the prefetchers to change, a subset of @available, not 0;
 *        QUERY: must be 0
 * @enable: (in) SET: those of @mask to leave on; QUERY: must be 0
 * @available: (out) prefetchers with a documented switch on this CPU model
 * @enabled: (out) prefetchers that are on, read back after a write
 * @state: (out) OWNED, BUSY, INEFFECTIVE bits.  INEFFECTIVE: the write was
 *         accepted but reading back gives another value, as under most
 *         hypervisors: nothing was switched.
 * @reserved: (in) must be 0
 *
 * The first SET makes the session the owner, until it is closed; then every
 * changed CPU gets back what it had.  The same happens at suspend, reboot,
 * CPU offline and module unload.  Intel: MSR 0x1A4 bits 0-3, core-wide, on
 * the models for which Intel disclosed it; AMD: MSR 0xC0000108 where CPUID
 * 8000_0021h EAX[13] announces it.
 *
 * Errors: EPERM (also LOCKDOWN_MSR); EINVAL: unknown @op, @mask not a subset
 * of @available; ENXIO; EOPNOTSUPP: no documented switch; EBUSY: another
 * session owns the prefetchers; EIO: the CPU refused the access.
 */
struct probe_phys_prefetch {
	__u32 size;
	__u32 flags;
	__u32 op;
	__u32 cpu;
	__u32 mask;
	__u32 enable;
	__u32 available;
	__u32 enabled;
	__u32 state;
	__u32 reserved;
};

/* ------------------------------------------------------------------------ */
/* Buffers                                                                  */
/* ------------------------------------------------------------------------ */

/* Rungs of the allocation ladder, tried in this order. */
#define PROBE_PHYS_RUNG_IMPORT		(1U << 0) /* caller's huge pages */
#define PROBE_PHYS_RUNG_CONTIG		(1U << 1) /* one contiguous range */
#define PROBE_PHYS_RUNG_BUDDY		(1U << 2) /* largest-order blocks */
#define PROBE_PHYS_RUNG_ALL		0x7U

/** PROBE_PHYS_NODE_ANY - any NUMA node */
#define PROBE_PHYS_NODE_ANY		(-1)

/**
 * struct probe_phys_buffer_create - allocate physical memory
 * @size: (in) sizeof(struct probe_phys_buffer_create)
 * @flags: (in) must be 0
 * @bytes: (in) how much is wanted, a multiple of the base page, not 0;
 *         (out) how much was granted: as much as was possible up to that
 * @min_bytes: (in) the least to be content with, a multiple of the base page,
 *             at most @bytes; 0: any amount
 * @align_bytes: (in) physical alignment of each extent: a power of two from
 *               the base page to 1 GiB; 0: the base page
 * @min_extent_bytes: (in) extents shorter than this are not worth having; a
 *                    multiple of the base page, at most @bytes; 0: base page
 * @import_addr: (in) with RUNG_IMPORT alone: address of @bytes of the
 *               caller's memory mapped with hugetlb or transparent huge
 *               pages, aligned to the base page.  Otherwise 0.
 * @node: (in) NUMA node, or PROBE_PHYS_NODE_ANY
 * @rungs: (in) PROBE_PHYS_RUNG_* that may be used; 0: CONTIG, then BUDDY
 * @fd: (out) the buffer
 * @rung: (out) the rung that gave the memory, one PROBE_PHYS_RUNG_* bit
 * @nr_extents: (out) number of extents
 * @walk_page_bytes: (in) must be 0; (out) page size by which walks go: of the
 *                   entries that show the buffer in the kernel's own (linear)
 *                   map, the smallest. No more than the base page where that
 *                   map is made of small pages (arm64 with rodata=full), or
 *                   was split anywhere in the buffer. 0: not known
 * @largest_bytes: (out) the longest contiguous run that was possible, also
 *                 when the command fails with ENOMEM
 * @id: (out) number of the buffer, as in netlink dumps
 *
 * The memory is zeroed (imported memory is left as it is), accounted to the
 * session and capped.  Extents are ordered longest first; offset 0 of the
 * buffer is the start of extent 0.
 *
 * The caller can still write imported memory through its own mapping. Whatever
 * it writes, no walk leaves the buffer.
 *
 * Errors: EINVAL: alignment, combination, node out of range; EFAULT: import
 * range not mapped or not writable; EOPNOTSUPP: the rung does not exist on
 * this kernel; ENOSPC: more than the caps allow; ENOMEM: less than @min_bytes
 * was to be had (see @largest_bytes); EINTR: a fatal signal came.
 */
struct probe_phys_buffer_create {
	__u32 size;
	__u32 flags;
	__aligned_u64 bytes;
	__aligned_u64 min_bytes;
	__aligned_u64 align_bytes;
	__aligned_u64 min_extent_bytes;
	__aligned_u64 import_addr;
	__s32 node;
	__u32 rungs;
	__s32 fd;
	__u32 rung;
	__u32 nr_extents;
	__u32 walk_page_bytes;
	__aligned_u64 largest_bytes;
	__aligned_u64 id;
};

/**
 * struct probe_phys_extent - one physically contiguous run
 * @phys: physical address of its first byte
 * @bytes: its length
 */
struct probe_phys_extent {
	__aligned_u64 phys;
	__aligned_u64 bytes;
};

/**
 * struct probe_phys_buffer_info - what a buffer is
 * @size: (in) sizeof(struct probe_phys_buffer_info)
 * @flags: (in) must be 0
 * @id: (out) number of the buffer
 * @bytes: (out) its length
 * @nr_extents: (out) number of extents
 * @rung: (out) the rung that it came from
 * @node: (out) NUMA node of extent 0
 * @nr_views: (out) live views
 */
struct probe_phys_buffer_info {
	__u32 size;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 bytes;
	__u32 nr_extents;
	__u32 rung;
	__s32 node;
	__u32 nr_views;
};

/**
 * struct probe_phys_buffer_extents - list extents
 * @size: (in) sizeof(struct probe_phys_buffer_extents)
 * @flags: (in) must be 0
 * @extents: (in) address of an array of struct probe_phys_extent
 * @first: (in) index of the first extent wanted
 * @count: (in) room in the array, not 0; (out) entries written, 0 when @first
 *         is at or beyond the end
 */
struct probe_phys_buffer_extents {
	__u32 size;
	__u32 flags;
	__aligned_u64 extents;
	__u32 first;
	__u32 count;
};

/**
 * struct probe_phys_buffer_flush - flush the lines of a range from all caches
 * @size: (in) sizeof(struct probe_phys_buffer_flush)
 * @flags: (in) must be 0
 * @offset: (in) first byte, any alignment
 * @bytes: (in) length, not 0
 *
 * Done on return, coherently on all CPUs (x86: CLFLUSHOPT or CLFLUSH; arm64:
 * DC CIVAC).
 *
 * Errors: EINVAL, EOVERFLOW, ERANGE; EOPNOTSUPP; EINTR: a fatal signal.
 */
struct probe_phys_buffer_flush {
	__u32 size;
	__u32 flags;
	__aligned_u64 offset;
	__aligned_u64 bytes;
};

/* ------------------------------------------------------------------------ */
/* Views                                                                    */
/* ------------------------------------------------------------------------ */

#define PROBE_PHYS_VIEW_EXEC		(1U << 0) /* may be mapped PROT_EXEC */
#define PROBE_PHYS_VIEW_DESCENDING	(1U << 1) /* the last page comes first */

/**
 * struct probe_phys_view_create - a way of mapping a range of a buffer
 * @size: (in) sizeof(struct probe_phys_view_create)
 * @flags: (in) PROBE_PHYS_VIEW_* bits
 * @offset: (in) start of the range in the buffer, a multiple of @page_bytes
 * @bytes: (in) length of the range, a multiple of @page_bytes, not 0
 * @page_bytes: (in) size of each page-table entry: page_bytes, pmd_bytes or
 *              pud_bytes of probe_phys_info
 * @alias_pages: (in) 0: the range is mapped once, in order.  n: n virtual
 *               pages; page i shows page (i mod (@bytes / @page_bytes)) of
 *               the range, counted from its end with
 *               PROBE_PHYS_VIEW_DESCENDING, so that no translation array can
 *               enter neighbours as one.  At most PROBE_PHYS_MAX_ALIAS_PAGES.
 * @fd: (out) the view
 * @map_bytes: (out) length of the longest mapping of it
 * @id: (out) number of the view
 *
 * The view is used with mmap(NULL, length, prot, MAP_SHARED, fd, offset):
 * offset and length are multiples of @page_bytes.  The kernel aligns the
 * address to @page_bytes; with an address hint that is not so aligned, with
 * MAP_PRIVATE, or PROT_EXEC on a view without PROBE_PHYS_VIEW_EXEC, mmap gives
 * EINVAL (EACCES for PROT_EXEC), beyond @map_bytes ERANGE.  Entries are made
 * of exactly @page_bytes or not at all: where that fails the access raises
 * SIGBUS.  The mapping is not inherited by fork, not dumped, cannot grow, be
 * moved or be split inside an entry.  Entries appear when they are touched.
 * While a walk runs on the buffer, an access through a mapping waits.
 *
 * Errors: EINVAL: @page_bytes is none of the sizes; alignment of @offset or
 * @bytes; more than PROBE_PHYS_MAX_ALIAS_PAGES; the physical addresses of the
 * range are not aligned to @page_bytes or an entry would cross extents;
 * EOPNOTSUPP: this kernel cannot map that page size; EOVERFLOW; ERANGE;
 * ENOSPC: too many views.
 */
struct probe_phys_view_create {
	__u32 size;
	__u32 flags;
	__aligned_u64 offset;
	__aligned_u64 bytes;
	__aligned_u64 page_bytes;
	__u32 alias_pages;
	__s32 fd;
	__aligned_u64 map_bytes;
	__aligned_u64 id;
};

/* Bits of probe_phys_view_resolve.prot. */
#define PROBE_PHYS_PROT_WRITE		(1U << 0)
#define PROBE_PHYS_PROT_EXEC		(1U << 1)

/**
 * struct probe_phys_view_resolve - walk the page tables at an address
 * @size: (in) sizeof(struct probe_phys_view_resolve)
 * @flags: (in) must be 0
 * @address: (in) a virtual address of the caller inside a mapping of the view
 * @phys: (out) the physical address it translates to
 * @page_bytes: (out) size of the entry that translates it
 * @prot: (out) PROBE_PHYS_PROT_* bits of that entry
 * @reserved: (in) must be 0
 *
 * Errors: EINVAL: @address is in no mapping of this view by the caller;
 * ENOENT: no entry there yet (touch it first).
 */
struct probe_phys_view_resolve {
	__u32 size;
	__u32 flags;
	__aligned_u64 address;
	__aligned_u64 phys;
	__aligned_u64 page_bytes;
	__u32 prot;
	__u32 reserved;
};

#define PROBE_PHYS_VIEW_FLUSH_ENTRIES	(1U << 0) /* page-table entries too */

/**
 * struct probe_phys_view_flush - drop a view's translations
 * @size: (in) sizeof(struct probe_phys_view_flush)
 * @flags: (in) 0: TLBs of all CPUs are emptied, the entries stay;
 *         PROBE_PHYS_VIEW_FLUSH_ENTRIES: the page-table entries of every
 *         mapping of the view go as well, the next access faults them in
 */
struct probe_phys_view_flush {
	__u32 size;
	__u32 flags;
};

#define PROBE_PHYS_VIEW_ACCESSED_CLEAR	(1U << 0) /* clear what was counted */

/**
 * struct probe_phys_view_accessed - read, and clear, accessed bits of a view
 * @size: (in) sizeof(struct probe_phys_view_accessed)
 * @flags: (in) 0, or PROBE_PHYS_VIEW_ACCESSED_CLEAR
 * @address: (in) a virtual address of the caller inside a mapping of the view,
 *           a multiple of the view's page size
 * @bytes: (in) length of the range, a multiple of that size; it ends in the
 *         same mapping
 * @accessed: (out) page-table entries of the range whose accessed bit was set
 * @level: (in) 0: the entries that translate pages.  n: the entries n levels
 *         above them, which point to tables: with pages of 4 KiB on x86-64 an
 *         entry of level 1 (PMD) spans 2 MiB, of level 2 (PUD) 1 GiB.  Then
 *         @address and @bytes are multiples of that span: no entry is looked
 *         at that serves memory beyond the mapping as well
 * @reserved: (in) must be 0
 *
 * TLBs keep their translations: a page whose bit was cleared and is set after
 * a touch was walked for.  Caches of page walks keep their entries, too: of a
 * page that was walked for, the bit of an entry above is set where the walk has
 * read that entry, and stays clear where such a cache had it.  Entries that do
 * not exist are left out.  An entry is read and cleared at once, the range is
 * not.
 *
 * Errors: EINVAL: alignment; @level is the highest one of the page tables,
 * whose entries are shared or exist twice (page-table isolation), or above it;
 * @address is in no mapping of this view by the caller; EOVERFLOW; ERANGE: the
 * range ends beyond that mapping; EOPNOTSUPP: the CPU does not set accessed
 * bits itself (arm64 without FEAT_HAFDBS; with a @level all of arm64, whose
 * kernels do not use FEAT_HAFT), or 1 GiB entries at @level 0; EINTR: a fatal
 * signal.
 */
struct probe_phys_view_accessed {
	__u32 size;
	__u32 flags;
	__aligned_u64 address;
	__aligned_u64 bytes;
	__aligned_u64 accessed;
	__u32 level;
	__u32 reserved;
};

/** PROBE_PHYS_VIEW_ACCESSED_SIZE_0 - its first published size, without @level */
#define PROBE_PHYS_VIEW_ACCESSED_SIZE_0	32

/* ------------------------------------------------------------------------ */
/* Counters                                                                 */
/* ------------------------------------------------------------------------ */

#define PROBE_PHYS_EVENT_EXCLUDE_USER	(1U << 0)
#define PROBE_PHYS_EVENT_EXCLUDE_KERNEL	(1U << 1)
#define PROBE_PHYS_EVENT_EXCLUDE_HV	(1U << 2)

/**
 * struct probe_phys_event - one event, as in struct perf_event_attr
 * @type: PMU type: PERF_TYPE_* or a dynamic PMU's number from sysfs
 * @flags: PROBE_PHYS_EVENT_* bits
 * @config: event code.  A PMU's driver may take a number on trust (arm64 does):
 *          an event that the CPU does not have then counts nothing
 * @config1: as in perf_event_attr
 * @config2: as in perf_event_attr
 */
struct probe_phys_event {
	__u32 type;
	__u32 flags;
	__aligned_u64 config;
	__aligned_u64 config1;
	__aligned_u64 config2;
};

#define PROBE_PHYS_COUNTERS_DISABLED	(1U << 0) /* create without starting */

/**
 * struct probe_phys_counters_create - reserve a group of counters
 * @size: (in) sizeof(struct probe_phys_counters_create)
 * @flags: (in) PROBE_PHYS_COUNTERS_DISABLED or 0
 * @cpu: (in) count all that runs on this CPU; -1: the calling thread,
 *       wherever it runs (such a group is no use to a walk)
 * @nr_events: (in) 1 to PROBE_PHYS_MAX_COUNTERS
 * @fd: (out) the group
 * @failed_event: (out) on error of one event, its index, else -1
 * @id: (out) number of the group
 * @events: (in) the first @nr_events count, the others must be zero
 *
 * Made through the kernel's perf interface: the counters are reserved against
 * all other users of perf, and pinned (never multiplexed silently).
 *
 * Errors: EPERM (also LOCKDOWN_PERF); EINVAL: @nr_events, unknown event flag,
 * unused event not zero; ENXIO; ENOENT: no PMU knows the event; EOPNOTSUPP:
 * the PMU cannot count it this way; ENOSPC: too many groups; others as
 * perf_event_open(2).
 */
struct probe_phys_counters_create {
	__u32 size;
	__u32 flags;
	__s32 cpu;
	__u32 nr_events;
	__s32 fd;
	__s32 failed_event;
	__aligned_u64 id;
	struct probe_phys_event events[PROBE_PHYS_MAX_COUNTERS];
};

#define PROBE_PHYS_COUNTERS_STOP	0
#define PROBE_PHYS_COUNTERS_START	1

/**
 * struct probe_phys_counters_control - start or stop all counters of a group
 * @size: (in) sizeof(struct probe_phys_counters_control)
 * @flags: (in) must be 0
 * @op: (in) PROBE_PHYS_COUNTERS_STOP or PROBE_PHYS_COUNTERS_START
 * @reserved: (in) must be 0
 *
 * Errors: EINVAL: unknown @op.
 */
struct probe_phys_counters_control {
	__u32 size;
	__u32 flags;
	__u32 op;
	__u32 reserved;
};

/* Bits of probe_phys_counters_read.state. */
#define PROBE_PHYS_COUNTERS_MULTIPLEXED	(1U << 0) /* running < enabled */
#define PROBE_PHYS_COUNTERS_ERROR	(1U << 1) /* could not be scheduled */

/**
 * struct probe_phys_counter_value - one counter as it stands
 * @value: events counted
 * @enabled_ns: how long it was wanted
 * @running_ns: how long it really counted; less than @enabled_ns: it was
 *              multiplexed and @value is not exact
 */
struct probe_phys_counter_value {
	__aligned_u64 value;
	__aligned_u64 enabled_ns;
	__aligned_u64 running_ns;
};

/**
 * struct probe_phys_counters_read - read all counters of a group
 * @size: (in) sizeof(struct probe_phys_counters_read)
 * @flags: (in) must be 0
 * @nr_events: (out) valid entries of @values
 * @state: (out) MULTIPLEXED, ERROR bits: of any of the counters
 * @values: (out) one per event, in the order of creation
 */
struct probe_phys_counters_read {
	__u32 size;
	__u32 flags;
	__u32 nr_events;
	__u32 state;
	struct probe_phys_counter_value values[PROBE_PHYS_MAX_COUNTERS];
};

/* ------------------------------------------------------------------------ */
/* Walks                                                                    */
/* ------------------------------------------------------------------------ */

#define PROBE_PHYS_WALK_FLUSH_FIRST	(1U << 0) /* flush the lines before */

/* Bits of probe_phys_sample.flags. */
#define PROBE_PHYS_SAMPLE_LATE		(1U << 0) /* took more than twice its
						   * slice: the CPU was away
						   */
#define PROBE_PHYS_SAMPLE_SPLIT		(1U << 1) /* the slice ended inside the
						   * wanted rounds, or began
						   * with fewer loads of the
						   * rewarm rounds than
						   * requested: loads shows
						   * which
						   */
#define PROBE_PHYS_SAMPLE_MULTIPLEXED	(1U << 2) /* a counter did not run */
#define PROBE_PHYS_SAMPLE_SMI		(1U << 3) /* a system management
						   * interrupt came (Intel)
						   */

/**
 * struct probe_phys_sample - one slice of a walk, raw
 * @ticks: ticks of the CPU's time-stamp counter that the loads took
 * @ns: the same in nanoseconds of the kernel's clock
 * @loads: dependent loads done
 * @flags: PROBE_PHYS_SAMPLE_* bits
 * @nr_counters: valid entries of @counters
 * @counters: increase of each counter of the group over these loads, reading
 *            overhead included
 */
struct probe_phys_sample {
	__aligned_u64 ticks;
	__aligned_u64 ns;
	__aligned_u64 loads;
	__u32 flags;
	__u32 nr_counters;
	__aligned_u64 counters[PROBE_PHYS_MAX_COUNTERS];
};

/**
 * struct probe_phys_walk - walk one sequence inside the kernel
 * @size: (in) sizeof(struct probe_phys_walk)
 * @flags: (in) PROBE_PHYS_WALK_FLUSH_FIRST or 0
 * @offsets: (in) address of @nr_offsets __u64: byte offsets into the buffer,
 *           in the order of the walk, each a multiple of 8, none twice (a
 *           line is visited twice by way of another word of it)
 * @samples: (in) address of room for @max_samples struct probe_phys_sample
 * @rounds: (in) rounds over the sequence to measure, not 0
 * @budget_ns: (in) give up after this time; 0: 10 s, at most 60 s
 * @nr_offsets: (in) 1 to PROBE_PHYS_MAX_WALK_OFFSETS
 * @max_samples: (in) 1 to PROBE_PHYS_MAX_WALK_SAMPLES
 * @warmup_rounds: (in) rounds before the first sample, not measured
 * @rewarm_rounds: (in) rounds at the start of each slice, with interrupts
 *                 already off, not measured: they bring back what ran between
 *                 slices has evicted. Where that many do not fit half a slice,
 *                 only the last loads of them are done, those that lead to
 *                 where the walk stands, and the sample is
 *                 PROBE_PHYS_SAMPLE_SPLIT
 * @rounds_per_sample: (in) rounds of one sample; 0: as many as fit the slice
 * @slice_ns: (in) longest time with interrupts off; 0:
 *            PROBE_PHYS_DEFAULT_SLICE_NS, at most PROBE_PHYS_MAX_SLICE_NS
 * @cpu: (in) the CPU to walk on, -1: the one the caller is on
 * @counters_fd: (in) counter group of that CPU to read around each slice, -1:
 *               none
 * @nr_samples: (out) samples written, also on ETIME and EINTR
 * @reserved: (in) must be 0
 * @loads_done: (out) measured loads in all
 *
 * The offsets are checked and laid out as a chain in the buffer itself (the
 * eight bytes at each offset are overwritten; the rest is left alone), after
 * every mapping of the buffer has been taken away; who touches one waits
 * until the walk is over.  Each step is one dependent load and one AND that
 * keeps it inside a power-of-two window of the buffer whatever the memory
 * holds: no address ever comes from user space.  All offsets must lie in one
 * extent, in an aligned or unaligned window of a power of two of bytes that
 * fits into that extent.  It is the kernel's own map that is walked, by pages
 * of probe_phys_buffer_create.walk_page_bytes, whatever views there are.
 *
 * The walk runs on a thread of its own, bound to @cpu.  It ends early when
 * the caller gets a fatal signal, within one slice.
 *
 * Errors: EINVAL: zero or excessive counts, a misaligned or repeated offset,
 * offsets in two extents or spanning too wide a window, a counter group of
 * another CPU; ERANGE: an offset beyond the buffer; EBADF; ENXIO; EBUSY:
 * another walk runs on this buffer; EIO: the chain was damaged while the walk
 * ran (imported memory written by its owner); ETIME: @budget_ns was used up
 * (what was measured is returned); EINTR: a fatal signal came; ENOMEM.
 */
struct probe_phys_walk {
	__u32 size;
	__u32 flags;
	__aligned_u64 offsets;
	__aligned_u64 samples;
	__aligned_u64 rounds;
	__aligned_u64 budget_ns;
	__u32 nr_offsets;
	__u32 max_samples;
	__u32 warmup_rounds;
	__u32 rewarm_rounds;
	__u32 rounds_per_sample;
	__u32 slice_ns;
	__s32 cpu;
	__s32 counters_fd;
	__u32 nr_samples;
	__u32 reserved;
	__aligned_u64 loads_done;
};

/*
 * Command numbers.  The size bits of a number are those of the first published
 * struct and stay as they are when the struct grows; the module looks at type
 * and number only.
 */
#define PROBE_PHYS_IOC_INFO \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x00, struct probe_phys_info)
#define PROBE_PHYS_IOC_FLUSH_ALL \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x01, struct probe_phys_flush_all)
#define PROBE_PHYS_IOC_PREFETCH \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x02, struct probe_phys_prefetch)
#define PROBE_PHYS_IOC_BUFFER_CREATE \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x10, struct probe_phys_buffer_create)
#define PROBE_PHYS_IOC_BUFFER_INFO \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x11, struct probe_phys_buffer_info)
#define PROBE_PHYS_IOC_BUFFER_EXTENTS \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x12, struct probe_phys_buffer_extents)
#define PROBE_PHYS_IOC_BUFFER_FLUSH \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x13, struct probe_phys_buffer_flush)
#define PROBE_PHYS_IOC_VIEW_CREATE \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x20, struct probe_phys_view_create)
#define PROBE_PHYS_IOC_VIEW_RESOLVE \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x21, struct probe_phys_view_resolve)
#define PROBE_PHYS_IOC_VIEW_FLUSH \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x22, struct probe_phys_view_flush)
#define PROBE_PHYS_IOC_VIEW_ACCESSED \
	_IOC(_IOC_READ | _IOC_WRITE, PROBE_PHYS_IOC_MAGIC, 0x23, \
	     PROBE_PHYS_VIEW_ACCESSED_SIZE_0)
#define PROBE_PHYS_IOC_COUNTERS_CREATE \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x30, struct probe_phys_counters_create)
#define PROBE_PHYS_IOC_COUNTERS_CONTROL \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x31, struct probe_phys_counters_control)
#define PROBE_PHYS_IOC_COUNTERS_READ \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x32, struct probe_phys_counters_read)
#define PROBE_PHYS_IOC_WALK \
	_IOWR(PROBE_PHYS_IOC_MAGIC, 0x40, struct probe_phys_walk)

/* ------------------------------------------------------------------------ */
/* Generic netlink                                                          */
/* ------------------------------------------------------------------------ */

/*
 * Family "probe_phys".  The device acts on the caller's own descriptors; the
 * family observes the whole module.  Every command needs CAP_SYS_ADMIN (EPERM
 * with a text otherwise), takes no attribute but those listed, is strictly
 * validated, and explains each refusal in an extack message.
 *
 *	command		kind	request		reply
 *	INFO_GET	do	-		ABI VERSION FEATURES PAGE_BYTES
 *						PMD_BYTES PUD_BYTES
 *						MAX_BUFFER_BYTES MAX_TOTAL_BYTES
 *						USED_TOTAL_BYTES TICK_HZ
 *	STATS_GET	do	-		STAT_*
 *	BUFFER_GET	dump	-		per buffer: ID OWNER_PID
 *						OWNER_COMM BYTES NODE RUNG
 *						NR_EXTENTS PHYS (of extent 0)
 *						LARGEST_BYTES (extent 0)
 *						NR_VIEWS WALK_PAGE_BYTES
 *	BUFFER_GET	do	ID		the same for one; ENOENT
 *	VIEW_GET	dump	-		per view: ID BUFFER_ID OWNER_PID
 *						OWNER_COMM BYTES PAGE_BYTES
 *						ALIAS_PAGES NR_MAPPINGS
 *	COUNTERS_GET	dump	-		per group: ID OWNER_PID
 *						OWNER_COMM CPU NR_EVENTS
 *	WALK_GET	dump	-		per running walk: ID BUFFER_ID
 *						OWNER_PID OWNER_COMM CPU
 *						NR_OFFSETS LOADS_DONE
 *	EVENT		event	-		EVENT_KIND, ID OWNER_PID
 *						OWNER_COMM CPU COUNT as fit
 *
 * Events go to the multicast group "events", which only CAP_SYS_ADMIN may
 * join.
 */
#define PROBE_PHYS_GENL_NAME		"probe_phys"
#define PROBE_PHYS_GENL_VERSION		1
#define PROBE_PHYS_GENL_GROUP_EVENTS	"events"

enum probe_phys_cmd {
	PROBE_PHYS_CMD_UNSPEC,
	PROBE_PHYS_CMD_INFO_GET,
	PROBE_PHYS_CMD_STATS_GET,
	PROBE_PHYS_CMD_BUFFER_GET,
	PROBE_PHYS_CMD_VIEW_GET,
	PROBE_PHYS_CMD_COUNTERS_GET,
	PROBE_PHYS_CMD_WALK_GET,
	PROBE_PHYS_CMD_EVENT,

	__PROBE_PHYS_CMD_LAST,
	PROBE_PHYS_CMD_MAX = __PROBE_PHYS_CMD_LAST - 1
};

/* Kinds of event, in PROBE_PHYS_A_EVENT_KIND. */
enum probe_phys_event_kind {
	PROBE_PHYS_EVENT_UNSPEC,
	PROBE_PHYS_EVENT_BUFFER_CREATED,  /* ID OWNER_PID OWNER_COMM BYTES */
	PROBE_PHYS_EVENT_BUFFER_GONE,     /* ID OWNER_PID OWNER_COMM BYTES */
	PROBE_PHYS_EVENT_WALK_DISTURBED,  /* ID OWNER_PID OWNER_COMM CPU COUNT:
					   * late samples of one walk
					   */
	PROBE_PHYS_EVENT_SMI,             /* the same: samples with an SMI */
	PROBE_PHYS_EVENT_FREQUENCY,       /* CPU COUNT: clock changed during a
					   * walk, in permille of the ticks
					   */
	PROBE_PHYS_EVENT_CPU_OFFLINE,     /* CPU */
	PROBE_PHYS_EVENT_PREFETCH_RESTORED, /* CPU COUNT: CPUs given back */

	__PROBE_PHYS_EVENT_LAST,
	PROBE_PHYS_EVENT_MAX = __PROBE_PHYS_EVENT_LAST - 1
};

enum probe_phys_attr {
	PROBE_PHYS_A_UNSPEC,
	PROBE_PHYS_A_PAD,
	PROBE_PHYS_A_ABI,		/* u32 */
	PROBE_PHYS_A_VERSION,		/* string */
	PROBE_PHYS_A_FEATURES,		/* u64, PROBE_PHYS_FEATURE_* */
	PROBE_PHYS_A_PAGE_BYTES,	/* u64 */
	PROBE_PHYS_A_PMD_BYTES,		/* u64 */
	PROBE_PHYS_A_PUD_BYTES,		/* u64 */
	PROBE_PHYS_A_MAX_BUFFER_BYTES,	/* u64 */
	PROBE_PHYS_A_MAX_TOTAL_BYTES,	/* u64 */
	PROBE_PHYS_A_USED_TOTAL_BYTES,	/* u64 */
	PROBE_PHYS_A_TICK_HZ,		/* u64 */
	PROBE_PHYS_A_ID,		/* u64 */
	PROBE_PHYS_A_BUFFER_ID,		/* u64 */
	PROBE_PHYS_A_OWNER_PID,		/* u32, in the init pid namespace */
	PROBE_PHYS_A_OWNER_COMM,	/* string */
	PROBE_PHYS_A_BYTES,		/* u64 */
	PROBE_PHYS_A_NODE,		/* s32 */
	PROBE_PHYS_A_RUNG,		/* u32, PROBE_PHYS_RUNG_* */
	PROBE_PHYS_A_NR_EXTENTS,	/* u32 */
	PROBE_PHYS_A_PHYS,		/* u64 */
	PROBE_PHYS_A_LARGEST_BYTES,	/* u64 */
	PROBE_PHYS_A_NR_VIEWS,		/* u32 */
	PROBE_PHYS_A_ALIAS_PAGES,	/* u32 */
	PROBE_PHYS_A_NR_MAPPINGS,	/* u32 */
	PROBE_PHYS_A_CPU,		/* s32 */
	PROBE_PHYS_A_NR_EVENTS,		/* u32 */
	PROBE_PHYS_A_NR_OFFSETS,	/* u32 */
	PROBE_PHYS_A_LOADS_DONE,	/* u64 */
	PROBE_PHYS_A_EVENT_KIND,	/* u32, enum probe_phys_event_kind */
	PROBE_PHYS_A_COUNT,		/* u64 */
	PROBE_PHYS_A_STAT_BUFFERS_CREATED,	/* u64, each since load */
	PROBE_PHYS_A_STAT_BUFFERS_DESTROYED,	/* u64 */
	PROBE_PHYS_A_STAT_VIEWS_CREATED,	/* u64 */
	PROBE_PHYS_A_STAT_VIEWS_DESTROYED,	/* u64 */
	PROBE_PHYS_A_STAT_COUNTERS_CREATED,	/* u64 */
	PROBE_PHYS_A_STAT_COUNTERS_DESTROYED,	/* u64 */
	PROBE_PHYS_A_STAT_WALKS_STARTED,	/* u64 */
	PROBE_PHYS_A_STAT_WALKS_ENDED,		/* u64 */
	PROBE_PHYS_A_STAT_SESSIONS_OPENED,	/* u64 */
	PROBE_PHYS_A_STAT_SESSIONS_CLOSED,	/* u64 */
	PROBE_PHYS_A_STAT_LOADS,		/* u64, measured loads of walks */
	PROBE_PHYS_A_STAT_LATE_SAMPLES,		/* u64 */
	PROBE_PHYS_A_WALK_PAGE_BYTES,	/* u32, 0: not known */

	__PROBE_PHYS_A_LAST,
	PROBE_PHYS_A_MAX = __PROBE_PHYS_A_LAST - 1
};

#endif /* _UAPI_LINUX_PROBE_PHYS_H */
