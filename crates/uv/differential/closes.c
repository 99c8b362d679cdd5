/* uv_loop_close in every order with uv_close and uv_run: which calls give EBUSY, and that a refused call changes nothing. */
#include "common.h"

static uv_loop_t loop;
static int closed;
static uv_timer_t timer;
static uv_async_t async;
static uv_idle_t idle;
static uv_signal_t sig;
static uv_tcp_t tcp;
static uv_work_t works[8];
static uv_sem_t gate;
static uv_fs_t fs;
static uv_fs_poll_t fs_poll;
static uv_fs_event_t fs_event;
static uv_process_t process;

static void on_close(uv_handle_t* handle) {
  closed++;
  if (handle->data == handle)
    printf("close in the close callback %d\n", uv_loop_close(handle->loop));
}

static void visit(uv_handle_t* handle, void* arg) {
  if (arg != NULL && !uv_is_closing(handle))
    uv_close(handle, on_close);
  else
    printf(" %s", uv_handle_type_name(handle->type));
}

static void on_idle(uv_idle_t* handle) { printf("close in a callback %d\n", uv_loop_close(handle->loop)); uv_idle_stop(handle); }
static void on_timer(uv_timer_t* handle) { (void) handle; }
static void on_async(uv_async_t* handle) { (void) handle; }
static void on_signal(uv_signal_t* handle, int number) { (void) handle; (void) number; }
static void on_fs_poll(uv_fs_poll_t* h, int s, const uv_stat_t* a, const uv_stat_t* b) { (void) h; (void) s; (void) a; (void) b; }
static void on_fs_event(uv_fs_event_t* h, const char* n, int e, int s) { (void) h; (void) n; (void) e; (void) s; }
static void on_child_exit(uv_process_t* handle, int64_t status, int number) { printf("exit %d %d\n", (int) status, number); (void) handle; }
static void work(uv_work_t* req) { (void) req; uv_sem_wait(&gate); }
static void after(uv_work_t* req, int status) { printf("after %d\n", status); (void) req; }
static void on_stat(uv_fs_t* req) { printf("stat %d\n", (int) req->result); uv_fs_req_cleanup(req); }

static void try_close(const char* when) {
  int result = uv_loop_close(&loop);
  printf("%s: close %d, closed %d", when, result, closed);
  if (result != 0)
    printf(", alive %d", uv_loop_alive(&loop));
  printf("\n");
}

/* What a program does that shuts down: walk, close, run, until the loop can be closed. */
static void drain(uv_run_mode mode) {
  int turns = 0, result;
  while ((result = uv_loop_close(&loop)) == UV_EBUSY && turns < 50) {
    uv_walk(&loop, visit, &loop);
    uv_run(&loop, mode);
    turns++;
  }
  printf("drained by %d: %d after %d turns, %d handles closed\n", mode, result, turns, closed);
  closed = 0;
}

static void open_many(void) {
  uv_timer_init(&loop, &timer);
  uv_timer_start(&timer, on_timer, 100000, 0);
  uv_async_init(&loop, &async, on_async);
  uv_async_send(&async);
  uv_idle_init(&loop, &idle);
  uv_signal_init(&loop, &sig);
  uv_signal_start(&sig, on_signal, SIGUSR1);
  uv_tcp_init(&loop, &tcp);
  uv_unref((uv_handle_t*) &timer);
  uv_unref((uv_handle_t*) &async);
  timer.data = async.data = idle.data = sig.data = tcp.data = NULL;
}

int main(void) {
  uv_run_mode modes[] = { UV_RUN_DEFAULT, UV_RUN_ONCE, UV_RUN_NOWAIT };
  int at, on;
  uv_sem_init(&gate, 0);

  uv_loop_init(&loop);
  try_close("never run");
  uv_loop_init(&loop);
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  try_close("run without handles");

  for (at = 0; at < 3; at++) {
    uv_loop_init(&loop);
    open_many();
    try_close("open handles");
    try_close("again");
    uv_walk(&loop, visit, NULL);
    printf("\n");
    drain(modes[at]);
  }

  printf("-- never run before its handles are closed\n");
  uv_loop_init(&loop);
  open_many();
  uv_walk(&loop, visit, &loop);
  try_close("closing");
  uv_stop(&loop);
  printf("run after stop %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  try_close("after the stopped run");
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  try_close("after the run");
  closed = 0;

  printf("-- closed without a reference\n");
  uv_loop_init(&loop);
  uv_timer_init(&loop, &timer);
  uv_unref((uv_handle_t*) &timer);
  timer.data = NULL;
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  try_close("idle timer");
  uv_close((uv_handle_t*) &timer, NULL);
  try_close("closing timer");
  printf("run %d\n", uv_run(&loop, UV_RUN_NOWAIT));
  try_close("closed timer");
  closed = 0;

  printf("-- in callbacks\n");
  uv_loop_init(&loop);
  uv_idle_init(&loop, &idle);
  uv_idle_start(&idle, on_idle);
  uv_timer_init(&loop, &timer);
  timer.data = &timer;
  idle.data = NULL;
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  uv_close((uv_handle_t*) &timer, on_close);
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  try_close("one is left");
  drain(UV_RUN_DEFAULT);

  printf("-- requests\n");
  uv_loop_init(&loop);
  on = uv_queue_work(&loop, &works[0], work, after);
  printf("queue %d\n", on);
  try_close("work");
  uv_sem_post(&gate);
  try_close("work that may be over");
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  printf("stat %d\n", uv_fs_stat(&loop, &fs, "/", on_stat));
  try_close("stat");
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  try_close("no requests");

  printf("-- cancelled requests\n");
  uv_loop_init(&loop);
  for (at = 0; at < 8; at++)
    uv_queue_work(&loop, &works[at], work, after);
  usleep(100000);
  printf("cancel %d\n", uv_cancel((uv_req_t*) &works[7]));
  try_close("cancelled");
  for (at = 0; at < 7; at++)
    uv_sem_post(&gate);
  while (uv_run(&loop, UV_RUN_ONCE) != 0)
    ;
  try_close("all are over");

  printf("-- watchers of files\n");
  uv_loop_init(&loop);
  uv_fs_poll_init(&loop, &fs_poll);
  printf("start %d\n", uv_fs_poll_start(&fs_poll, on_fs_poll, "/", 100000));
  uv_fs_event_init(&loop, &fs_event);
  printf("start %d\n", uv_fs_event_start(&fs_event, on_fs_event, "/", 0));
  fs_poll.data = fs_event.data = NULL;
  try_close("watching");
  drain(UV_RUN_DEFAULT);

  printf("-- a process\n");
  uv_loop_init(&loop);
  {
    char* args[] = { "true", NULL };
    uv_process_options_t options = { 0 };
    options.file = "true";
    options.args = args;
    options.exit_cb = on_child_exit;
    process.data = NULL;
    printf("spawn %d\n", uv_spawn(&loop, &process, &options));
    try_close("running");
    printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
    try_close("exited");
    drain(UV_RUN_DEFAULT);
    printf("init %d\n", uv_loop_init(&loop));
    options.file = "/nonexistent/program";
    printf("spawn %d\n", uv_spawn(&loop, &process, &options));
    try_close("failed");
    printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
    try_close("failed, run");
    drain(UV_RUN_DEFAULT);
  }

  printf("-- the default loop\n");
  for (at = 0; at < 2; at++) {
    uv_loop_t* def = uv_default_loop();
    uv_timer_init(def, &timer);
    timer.data = NULL;
    printf("close %d\n", uv_loop_close(def));
    uv_close((uv_handle_t*) &timer, NULL);
    printf("close %d\n", uv_loop_close(def));
    printf("run %d\n", uv_run(def, UV_RUN_DEFAULT));
    printf("close %d\n", uv_loop_close(def));
  }

  printf("-- a loop from uv_loop_new\n");
  {
    uv_loop_t* made = uv_loop_new();
    uv_timer_init(made, &timer);
    printf("close %d\n", uv_loop_close(made));
    uv_close((uv_handle_t*) &timer, NULL);
    printf("run %d\n", uv_run(made, UV_RUN_DEFAULT));
    uv_loop_delete(made);
  }
  return 0;
}
