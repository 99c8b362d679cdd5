/* fs_stat (synchronous and on the pool) and queue_work: the round trip through the thread pool. */
#include "bench.h"

static uv_loop_t loop;
static uint64_t left;
static uint64_t done;

void bench_fs_stat_sync(const bench_params* params, bench_measure* out) {
  uv_fs_t request;
  uint64_t i;
  bench_begin(out);
  for (i = 0; i < params->count; i++) {
    MUST(uv_fs_stat(NULL, &request, ".", NULL));
    uv_fs_req_cleanup(&request);
  }
  bench_end(out, params->count);
}

static void stat_next(uv_fs_t* request) {
  MUST(request->result);
  uv_fs_req_cleanup(request);
  done++;
  if (left == 0)
    return;
  left--;
  MUST(uv_fs_stat(&loop, request, ".", stat_next));
}

static void start_stats(uv_fs_t* requests, uint64_t width, uint64_t count) {
  uint64_t i;
  done = 0;
  left = count - width;
  for (i = 0; i < width; i++)
    MUST(uv_fs_stat(&loop, &requests[i], ".", stat_next));
}

void bench_fs_stat(const bench_params* params, bench_measure* out) {
  uv_fs_t* requests = bench_alloc(params->width, sizeof *requests);
  MUST(uv_loop_init(&loop));
  /* Warms up the pool and the directory cache. */
  start_stats(requests, params->width, params->width * 8);
  MUST(uv_run(&loop, UV_RUN_DEFAULT));

  bench_begin(out);
  start_stats(requests, params->width, params->count);
  MUST(uv_run(&loop, UV_RUN_DEFAULT));
  bench_end(out, done);
  EXPECT(done == params->count);
}

/* Trivial work that the compiler may not optimise away. */
static void work(uv_work_t* request) {
  uint64_t state = (uint64_t) (uintptr_t) request | 1;
  request->data = (void*) (uintptr_t) bench_random(&state);
}

static void work_next(uv_work_t* request, int status) {
  MUST(status);
  done++;
  if (left == 0)
    return;
  left--;
  MUST(uv_queue_work(&loop, request, work, work_next));
}

static void start_work(uv_work_t* requests, uint64_t width, uint64_t count) {
  uint64_t i;
  done = 0;
  left = count - width;
  for (i = 0; i < width; i++)
    MUST(uv_queue_work(&loop, &requests[i], work, work_next));
}

void bench_queue_work(const bench_params* params, bench_measure* out) {
  uv_work_t* requests = bench_alloc(params->width, sizeof *requests);
  MUST(uv_loop_init(&loop));
  start_work(requests, params->width, params->width * 8);
  MUST(uv_run(&loop, UV_RUN_DEFAULT));

  bench_begin(out);
  start_work(requests, params->width, params->count);
  MUST(uv_run(&loop, UV_RUN_DEFAULT));
  bench_end(out, done);
  EXPECT(done == params->count);
}
