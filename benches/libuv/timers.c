/* million_timers, timers_restart. */
#include "bench.h"

static uv_loop_t loop;
static uint64_t fired;
static uint64_t closed;

static void count_fired(uv_timer_t* timer) {
  (void) timer;
  fired++;
}

static void count_closed(uv_handle_t* handle) {
  (void) handle;
  closed++;
}

/* As libuv test/benchmark-million-timers.c: a thousand timers per millisecond. out[0]: init, out[1]: dispatch, out[2]: cleanup. */
void bench_million_timers(const bench_params* params, bench_measure* out) {
  uv_timer_t* timers = bench_alloc(params->count, sizeof *timers);
  uint64_t timeout_ms = 0;
  uint64_t i;
  MUST(uv_loop_init(&loop));

  bench_begin(&out[0]);
  for (i = 0; i < params->count; i++) {
    if (i % 1000 == 0)
      timeout_ms++;
    MUST(uv_timer_init(&loop, &timers[i]));
    MUST(uv_timer_start(&timers[i], count_fired, timeout_ms, 0));
  }
  bench_end(&out[0], params->count);

  bench_begin(&out[1]);
  MUST(uv_run(&loop, UV_RUN_DEFAULT));
  bench_end(&out[1], fired);

  bench_begin(&out[2]);
  for (i = 0; i < params->count; i++)
    uv_close((uv_handle_t*) &timers[i], count_closed);
  MUST(uv_run(&loop, UV_RUN_DEFAULT));
  bench_end(&out[2], closed);
  EXPECT(fired == params->count && closed == params->count);
}

/* Idle timeouts of a server with `width` connections: a timer is restarted when its connection receives data. None
 * expires. The loop makes a turn every 1024 restarts, as in a busy server. */
void bench_timers_restart(const bench_params* params, bench_measure* out) {
  uv_timer_t* timers = bench_alloc(params->width, sizeof *timers);
  uint64_t state = 1;
  uint64_t i;
  MUST(uv_loop_init(&loop));
  for (i = 0; i < params->width; i++) {
    MUST(uv_timer_init(&loop, &timers[i]));
    MUST(uv_timer_start(&timers[i], count_fired, params->limit_ms, 0));
  }
  bench_begin(out);
  for (i = 1; i <= params->count; i++) {
    MUST(uv_timer_start(&timers[bench_random(&state) % params->width], count_fired, params->limit_ms, 0));
    if (i % 1024 == 0)
      MUST(uv_run(&loop, UV_RUN_NOWAIT));
  }
  bench_end(out, params->count);
  EXPECT(fired == 0);
}
