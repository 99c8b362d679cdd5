/* Functions on a loop: options, walking, stopping, metrics, printing the handles. */
#include "common.h"
#include <signal.h>

static uv_loop_t loop;
static uv_async_t asyncs[3];
static uv_timer_t timer;
static uv_signal_t signals[2];
static uv_poll_t poll_handle;
static uv_work_t works[3];
static int pipe_fds[2];

static void closed(uv_handle_t* handle) {
  printf("closed %s data %p\n", uv_handle_type_name(uv_handle_get_type(handle)), uv_handle_get_data(handle));
}

static void visit(uv_handle_t* handle, void* arg) {
  printf(" %s", uv_handle_type_name(handle->type));
  if (arg != NULL && !uv_is_closing(handle))
    uv_close(handle, closed);
}

static void on_async(uv_async_t* async) {
  printf("async %d\n", (int) (async - asyncs));
  if (async == &asyncs[1])
    uv_async_send(&asyncs[0]);
}

static void on_timer(uv_timer_t* handle) {
  (void) handle;
  printf("timer\n");
  raise(SIGUSR1);
}

/* Only ends the wait of the poll phase. */
static void on_tick(uv_timer_t* handle) {
  (void) handle;
}

static void on_signal(uv_signal_t* handle, int signum) {
  printf("signal %d of %d: %d, active %d\n", (int) (handle - signals), handle->signum, signum == SIGUSR1,
         uv_is_active((uv_handle_t*) handle));
  if (handle == &signals[1])
    printf("write %d\n", (int) write(pipe_fds[1], "x", 1));
}

static void on_poll(uv_poll_t* handle, int status, int events) {
  printf("poll %d %d; one-shot signal %d active %d\n", status, events, signals[1].signum,
         uv_is_active((uv_handle_t*) &signals[1]));
  uv_poll_stop(handle);
  printf("walk");
  uv_walk(&loop, visit, &loop);
  printf("\n");
}

static void work(uv_work_t* req) {
  req->data = req;
}

static void after(uv_work_t* req, int status) {
  printf("after %d data %d cancel %d\n", status, req->data == req, uv_cancel((uv_req_t*) req));
}

static void keep(uv_prepare_t* prepare) {
  uv_metrics_t metrics;
  uv_metrics_info(prepare->loop, &metrics);
  printf("turn %d\n", (int) metrics.loop_count);
  if (metrics.loop_count == 2)
    prepare->loop->active_handles--;
}

/* Closes the loop in the close callback of its last handle. */
static void close_loop(uv_handle_t* handle) {
  uv_loop_t* of = handle->loop;
  printf("close in a callback %d\n", uv_loop_close(of));
}

int main(void) {
  int file = open("/dev/null", O_RDONLY), other;
  memset(&loop, 0xaa, sizeof(loop));
  uv_loop_init(&loop);
  printf("data %d size %zu default %d\n", loop.data == (void*) 0xaaaaaaaaaaaaaaaaul, uv_loop_size(),
         uv_default_loop() == uv_default_loop());
  printf("configure %d %d %d %d %d\n", uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, SIGPROF),
         uv_loop_configure(&loop, UV_LOOP_BLOCK_SIGNAL, SIGUSR1), uv_loop_configure(&loop, UV_METRICS_IDLE_TIME),
         uv_loop_configure(&loop, UV_LOOP_USE_IO_URING_SQPOLL), uv_loop_configure(&loop, (uv_loop_option) 99, 1));
  printf("fd %d timeout %d alive %d\n", uv_backend_fd(&loop) >= 0, uv_backend_timeout(&loop), uv_loop_alive(&loop));
  uv_stop(&loop);
  printf("stopped %u\n", loop.stop_flag);
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  printf("stopped %u\n", loop.stop_flag);

  printf("work %d\n", uv_queue_work(&loop, &works[0], NULL, after));
  for (int i = 0; i < 3; i++)
    uv_queue_work(&loop, &works[i], work, after);
  printf("requests %u type %d cancel %d\n", loop.active_reqs.count, works[0].type, works[0].loop == &loop);
  uv_req_t odd = {.type = UV_CONNECT};
  printf("cancel %d\n", uv_cancel(&odd));
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));

  for (int i = 0; i < 3; i++)
    uv_async_init(&loop, &asyncs[i], i == 2 ? NULL : on_async);
  for (int i = 3; i-- > 0;)
    printf("%d%d ", uv_async_send(&asyncs[i]), uv_async_send(&asyncs[i]));
  uv_unref((uv_handle_t*) &asyncs[0]);
  uv_unref((uv_handle_t*) &asyncs[0]);
  printf("handles %u\n", loop.active_handles);
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, on_timer, 5, 0);
  for (int i = 0; i < 2; i++)
    uv_signal_init(&loop, &signals[i]);
  static const int signums[] = {0, 999, SIGKILL, -1, SIGUSR1, SIGUSR1};
  for (int i = 0; i < 6; i++)
    printf("signal %d\n", uv_signal_start(&signals[0], on_signal, signums[i]));
  printf("one-shot %d\n", uv_signal_start_oneshot(&signals[1], on_signal, SIGUSR1));
  printf("stop %d\n", uv_signal_stop(&signals[0]));
  uv_signal_start(&signals[0], on_signal, SIGUSR1);
  printf("signums %d %d\n", signals[0].signum == SIGUSR1, signals[1].signum == SIGUSR1);
  printf("pipe %d\n", pipe(pipe_fds));
  printf("poll %d", uv_poll_init(&loop, &poll_handle, -1));
  printf(" %d", uv_poll_init(&loop, &poll_handle, file));
  printf(" %d", uv_poll_init(&loop, &poll_handle, pipe_fds[0]));
  printf(" %d\n", uv_poll_start(&poll_handle, UV_READABLE | UV_DISCONNECT, on_poll));
  printf("fileno %d", uv_fileno((uv_handle_t*) &poll_handle, &other));
  printf(" %d", other == pipe_fds[0]);
  printf(" %d", uv_fileno((uv_handle_t*) &timer, &other));
  other = 0;
  printf(" sizes %d %d\n", uv_send_buffer_size((uv_handle_t*) &timer, &other),
         uv_recv_buffer_size((uv_handle_t*) &timer, NULL));
  printf("walk");
  uv_walk(&loop, visit, NULL);
  printf("\n");
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  printf("alive %d\n", uv_loop_alive(&loop));
  printf("close %d\n", uv_loop_close(&loop));
  printf("closed %d %d\n", uv_loop_alive(&loop), uv_run(&loop, UV_RUN_DEFAULT));

  uv_loop_init(&loop);
  uv_timer_init(&loop, &timer);
  uv_close((uv_handle_t*) &timer, close_loop);
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));

  /* A program may change active_handles itself. */
  uv_prepare_t prepare;
  uv_loop_t* made = uv_loop_new();
  uv_prepare_init(made, &prepare);
  uv_prepare_start(&prepare, keep);
  uv_unref((uv_handle_t*) &prepare);
  uv_timer_init(made, &timer);
  uv_timer_start(&timer, on_tick, 1, 1);
  uv_unref((uv_handle_t*) &timer);
  made->active_handles++;
  printf("alive %d timeout %d\n", uv_loop_alive(made), uv_backend_timeout(made) >= 0);
  printf("run %d\n", uv_run(made, UV_RUN_DEFAULT));
  printf("handles %u\n", made->active_handles);
  uv_close((uv_handle_t*) &prepare, NULL);
  uv_close((uv_handle_t*) &timer, NULL);
  printf("run %d\n", uv_run(made, UV_RUN_DEFAULT));
  uv_loop_delete(made);
  printf("default %d\n", uv_loop_close(uv_default_loop()));

  for (int i = -1; i < 20; i++) {
    const char* name = uv_handle_type_name((uv_handle_type) i);
    const char* req = uv_req_type_name((uv_req_type) i);
    printf("%d %s %d %s %d\n", i, name ? name : "-", (int) uv_handle_size((uv_handle_type) i), req ? req : "-",
           (int) uv_req_size((uv_req_type) i));
  }
  for (int i = -4200; i < 200; i++) {
    char room[20];
    printf("%d %s %s", i, uv_err_name(i), uv_strerror(i));
    printf(" %s", uv_err_name_r(i, room, 7));
    printf(" %s %d\n", uv_strerror_r(i, room, sizeof(room)), uv_translate_sys_error(i));
  }
  printf("%x %s\n", uv_version(), uv_version_string());
  return 0;
}
