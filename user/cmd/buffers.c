// SPDX-License-Identifier: GPL-2.0
/* buffers.c - "probe-phys buffers": the objects that the module holds, and
 * their owners.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "cmd.h"
#include "machine/module/names.h"
#include "netlink/inventory.h"
#include "own_options.h"
#include "report/json_out.h"

/** struct spelt - room for the text of text_bytes() */
struct spelt {
	char text[24];
};

static const char *spell(uint64_t bytes, struct spelt *s)
{
	return text_bytes(bytes, s->text, sizeof(s->text));
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void print_owner(const struct inventory_owner *owner)
{
	printf("%7" PRIu32 " %-15s", owner->pid, owner->comm);
}

static void print_cpu(int32_t cpu)
{
	if (cpu < 0)
		printf("  %6s", "thread");
	else
		printf("  %6" PRId32, cpu);
}

static void print_view(const struct inventory_view *v)
{
	struct spelt bytes, page;

	printf("      view %" PRIu64 ": %s in pages of %s", v->id,
	       spell(v->bytes, &bytes), spell(v->page_bytes, &page));
	if (v->alias_pages)
		printf(", shown by %" PRIu32 " virtual pages", v->alias_pages);
	printf(", %" PRIu32 " mapping%s, owner %" PRIu32 " %s\n",
	       v->mapping_count, plural(v->mapping_count), v->owner.pid,
	       v->owner.comm);
}

static void print_views_of(const struct inventory *all, uint64_t buffer_id)
{
	for (size_t i = 0; i < all->view_count; i++)
		if (all->views[i].buffer_id == buffer_id)
			print_view(&all->views[i]);
}

static bool listed(const struct inventory *all, uint64_t buffer_id)
{
	for (size_t i = 0; i < all->buffer_count; i++)
		if (all->buffers[i].id == buffer_id)
			return true;
	return false;
}

/* Print views of buffers that were created after the buffers were listed. */
static void print_other_views(const struct inventory *all)
{
	for (size_t i = 0; i < all->view_count; i++)
		if (!listed(all, all->views[i].buffer_id)) {
			printf("  of buffer %" PRIu64
			       ", created after the list of buffers:\n",
			       all->views[i].buffer_id);
			print_view(&all->views[i]);
		}
}

static void print_buffers(const struct inventory *all)
{
	struct spelt bytes, run, walked;

	if (!all->buffer_count)
		printf("buffers: none\n");
	else
		printf("buffers:\n"
		       "    ID      PID OWNER                 BYTES  NODE  %-19s  EXTENTS  %-18s  LONGEST RUN  WALKED BY\n",
		       "RUNG", "PHYSICAL ADDRESS");
	for (size_t i = 0; i < all->buffer_count; i++) {
		const struct inventory_buffer *b = &all->buffers[i];

		printf("%6" PRIu64 "  ", b->id);
		print_owner(&b->owner);
		printf("  %10s  %4" PRId32 "  %-19s  %7" PRIu32
		       "  0x%016" PRIx64 "  %11s  %9s\n",
		       spell(b->bytes, &bytes), b->node,
		       module_rung_name(b->rung), b->extent_count, b->phys,
		       spell(b->largest_bytes, &run),
		       b->walk_page_bytes ? spell(b->walk_page_bytes, &walked) :
					    "?");
		print_views_of(all, b->id);
	}
	print_other_views(all);
}

static void print_counters(const struct inventory *all)
{
	if (!all->counters_count)
		printf("counter groups: none\n");
	else
		printf("counter groups:\n"
		       "    ID      PID OWNER               CPU  EVENTS\n");
	for (size_t i = 0; i < all->counters_count; i++) {
		const struct inventory_counters *c = &all->counters[i];

		printf("%6" PRIu64 "  ", c->id);
		print_owner(&c->owner);
		print_cpu(c->cpu);
		printf("  %6" PRIu32 "\n", c->event_count);
	}
}

static void print_walks(const struct inventory *all)
{
	if (!all->walk_count)
		printf("walks: none\n");
	else
		printf("walks:\n"
		       "    ID      PID OWNER               CPU  BUFFER   ADDRESSES           LOADS\n");
	for (size_t i = 0; i < all->walk_count; i++) {
		const struct inventory_walk *w = &all->walks[i];

		printf("%6" PRIu64 "  ", w->id);
		print_owner(&w->owner);
		print_cpu(w->cpu);
		printf("  %6" PRIu64 "  %10" PRIu32 "  %14" PRIu64 "\n",
		       w->buffer_id, w->offset_count, w->loads_done);
	}
}

static void print_statistics(const struct inventory_stats *s)
{
	printf("since load: buffers %" PRIu64 " made, %" PRIu64
	       " freed; views %" PRIu64 ", %" PRIu64 "; counter groups %" PRIu64
	       ", %" PRIu64 ";\n"
	       "  sessions %" PRIu64 " opened, %" PRIu64
	       " closed; walks %" PRIu64 " begun, %" PRIu64 " ended; %" PRIu64
	       " load%s measured, %" PRIu64 " late sample%s\n",
	       s->buffers_created, s->buffers_destroyed, s->views_created,
	       s->views_destroyed, s->counters_created, s->counters_destroyed,
	       s->sessions_opened, s->sessions_closed, s->walks_started,
	       s->walks_ended, s->loads, plural(s->loads), s->late_samples,
	       plural(s->late_samples));
}

static json_t *owner_json(const struct inventory_owner *owner)
{
	return json_pack("{sI ss}", "pid", (json_int_t)owner->pid, "comm",
			 owner->comm);
}

static json_t *buffers_json(const struct inventory *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->buffer_count; i++) {
		const struct inventory_buffer *b = &all->buffers[i];

		json_array_append_new(
			list,
			json_pack("{sI so sI si ss sI so sI sI sI}", "id",
				  (json_int_t)b->id, "owner",
				  owner_json(&b->owner), "bytes",
				  (json_int_t)b->bytes, "node", (int)b->node,
				  "rung", module_rung_name(b->rung),
				  "extent_count", (json_int_t)b->extent_count,
				  "phys", json_address(b->phys),
				  "largest_bytes", (json_int_t)b->largest_bytes,
				  "view_count", (json_int_t)b->view_count,
				  "walk_page_bytes",
				  (json_int_t)b->walk_page_bytes));
	}
	return list;
}

static json_t *views_json(const struct inventory *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->view_count; i++) {
		const struct inventory_view *v = &all->views[i];

		json_array_append_new(
			list,
			json_pack("{sI sI so sI sI sI sI}", "id",
				  (json_int_t)v->id, "buffer_id",
				  (json_int_t)v->buffer_id, "owner",
				  owner_json(&v->owner), "bytes",
				  (json_int_t)v->bytes, "page_bytes",
				  (json_int_t)v->page_bytes, "alias_pages",
				  (json_int_t)v->alias_pages, "mapping_count",
				  (json_int_t)v->mapping_count));
	}
	return list;
}

static json_t *counters_json(const struct inventory *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->counters_count; i++) {
		const struct inventory_counters *c = &all->counters[i];

		json_array_append_new(list,
				      json_pack("{sI so si sI}", "id",
						(json_int_t)c->id, "owner",
						owner_json(&c->owner), "cpu",
						(int)c->cpu, "event_count",
						(json_int_t)c->event_count));
	}
	return list;
}

static json_t *walks_json(const struct inventory *all)
{
	json_t *list = json_array();

	for (size_t i = 0; i < all->walk_count; i++) {
		const struct inventory_walk *w = &all->walks[i];

		json_array_append_new(
			list,
			json_pack("{sI sI so si sI sI}", "id",
				  (json_int_t)w->id, "buffer_id",
				  (json_int_t)w->buffer_id, "owner",
				  owner_json(&w->owner), "cpu", (int)w->cpu,
				  "offset_count", (json_int_t)w->offset_count,
				  "loads_done", (json_int_t)w->loads_done));
	}
	return list;
}

static json_t *statistics_json(const struct inventory_stats *s)
{
	return json_pack("{sI sI sI sI sI sI sI sI sI sI sI sI}",
			 "buffers_created", (json_int_t)s->buffers_created,
			 "buffers_destroyed", (json_int_t)s->buffers_destroyed,
			 "views_created", (json_int_t)s->views_created,
			 "views_destroyed", (json_int_t)s->views_destroyed,
			 "counters_created", (json_int_t)s->counters_created,
			 "counters_destroyed",
			 (json_int_t)s->counters_destroyed, "walks_started",
			 (json_int_t)s->walks_started, "walks_ended",
			 (json_int_t)s->walks_ended, "sessions_opened",
			 (json_int_t)s->sessions_opened, "sessions_closed",
			 (json_int_t)s->sessions_closed, "loads",
			 (json_int_t)s->loads, "late_samples",
			 (json_int_t)s->late_samples);
}

static json_t *document(const struct inventory *all)
{
	return json_pack("{si so so so so so}", "schema", 1, "buffers",
			 buffers_json(all), "views", views_json(all),
			 "counters", counters_json(all), "walks",
			 walks_json(all), "statistics",
			 statistics_json(&all->stats));
}

static int print_text(const struct inventory *all, struct failure *f)
{
	print_buffers(all);
	print_counters(all);
	print_walks(all);
	print_statistics(&all->stats);
	return cmd_flush(f);
}

enum exit_status cmd_buffers(int argc, char **argv,
			     const struct options *options)
{
	struct failure failure = { 0 };
	struct options own = *options;
	struct inventory all;
	struct genl *g;
	int error;

	cmd_json_option(
		argc, argv,
		"List the objects that probe_phys.ko holds: buffers with their views, counter groups and walks, each with its owner.",
		&own);
	g = genl_open(&failure);
	if (!g)
		return cmd_report(&failure, &own);
	error = inventory_read(g, &all, &failure);
	genl_close(g);
	if (error)
		return cmd_report(&failure, &own);
	if (own.json)
		error = json_out(document(&all), JSON_INDENT(2), &failure);
	else
		error = print_text(&all, &failure);
	inventory_free(&all);
	return error ? cmd_report(&failure, &own) : STATUS_DONE;
}
