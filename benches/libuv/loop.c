/* loop_count, million_async, async_pummel: the turns of the loop, and waking it from other threads. */
#include <stdatomic.h>

#include "bench.h"

static uv_loop_t loop;
static uint64_t events;
static uint64_t target;

static void count_turn(uv_idle_t* handle) {
  if (++events == target)
    uv_idle_stop(handle);
}

void bench_loop_count(const bench_params* params, bench_measure* out) {
  static uv_idle_t idle;
  target = params->count;
  MUST(uv_loop_init(&loop));
  MUST(uv_idle_init(&loop, &idle));
  MUST(uv_idle_start(&idle, count_turn));
  bench_begin(out);
  MUST(uv_run(&loop, UV_RUN_DEFAULT));
  bench_end(out, events);
  EXPECT(events == target);
}

static uv_async_t* asyncs;
static uint64_t async_count;
static atomic_int running = 1;
static uv_thread_t threads[64];
static unsigned thread_count;
static bench_measure* measure;

static void join_senders(void) {
  unsigned i;
  atomic_store(&running, 0);
  for (i = 0; i < thread_count; i++)
    MUST(uv_thread_join(&threads[i]));
}

static void count_async(uv_async_t* handle) {
  (void) handle;
  events++;
}

/* As libuv test/benchmark-million-async.c: a thread wakes handles at random. */
static void send_at_random(void* unused) {
  uint64_t state = 1;
  (void) unused;
  while (atomic_load_explicit(&running, memory_order_relaxed))
    uv_async_send(&asyncs[bench_random(&state) % async_count]);
}

static void time_is_up(uv_timer_t* timer) {
  uint64_t i;
  bench_end(measure, events);
  join_senders();
  for (i = 0; i < async_count; i++)
    uv_close((uv_handle_t*) &asyncs[i], NULL);
  uv_close((uv_handle_t*) timer, NULL);
}

void bench_million_async(const bench_params* params, bench_measure* out) {
  static uv_timer_t timer;
  uint64_t i;
  measure = out;
  async_count = params->width;
  asyncs = bench_alloc(async_count, sizeof *asyncs);
  MUST(uv_loop_init(&loop));
  for (i = 0; i < async_count; i++)
    MUST(uv_async_init(&loop, &asyncs[i], count_async));
  uv_update_time(&loop);
  MUST(uv_timer_init(&loop, &timer));
  MUST(uv_timer_start(&timer, time_is_up, params->limit_ms, 0));
  thread_count = 1;
  MUST(uv_thread_create(&threads[0], send_at_random, NULL));
  bench_begin(out);
  MUST(uv_run(&loop, UV_RUN_DEFAULT));
}

static void send_always(void* handle) {
  while (atomic_load_explicit(&running, memory_order_relaxed))
    uv_async_send(handle);
}

static void count_pummel(uv_async_t* handle) {
  if (++events != target)
    return;
  bench_end(measure, events);
  join_senders();
  uv_close((uv_handle_t*) handle, NULL);
}

void bench_async_pummel(const bench_params* params, bench_measure* out) {
  static uv_async_t async;
  unsigned i;
  measure = out;
  target = params->count;
  thread_count = (unsigned) params->width;
  EXPECT(thread_count <= sizeof threads / sizeof threads[0]);
  MUST(uv_loop_init(&loop));
  MUST(uv_async_init(&loop, &async, count_pummel));
  for (i = 0; i < thread_count; i++)
    MUST(uv_thread_create(&threads[i], send_always, &async));
  bench_begin(out);
  MUST(uv_run(&loop, UV_RUN_DEFAULT));
  EXPECT(events == target);
}
