/* spawn: runs /bin/true repeatedly; the next process starts when the previous handle is closed. */
#include "bench.h"

static uv_loop_t loop;
static uv_process_t process;
static uint64_t left;
static uint64_t exited;

static void spawn_next(uv_handle_t* closed);

static void count_exit(uv_process_t* handle, int64_t status, int signal) {
  EXPECT(status == 0 && signal == 0);
  exited++;
  uv_close((uv_handle_t*) handle, spawn_next);
}

static void spawn_next(uv_handle_t* closed) {
  static char* words[] = { "/bin/true", NULL };
  uv_process_options_t options = { 0 };
  (void) closed;
  if (left == 0)
    return;
  left--;
  options.file = words[0];
  options.args = words;
  options.exit_cb = count_exit;
  MUST(uv_spawn(&loop, &process, &options));
}

void bench_spawn(const bench_params* params, bench_measure* out) {
  left = params->count;
  MUST(uv_loop_init(&loop));
  bench_begin(out);
  spawn_next(NULL);
  MUST(uv_run(&loop, UV_RUN_DEFAULT));
  bench_end(out, exited);
  EXPECT(exited == params->count);
}
