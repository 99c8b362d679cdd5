/* uv_shutdown at every stage of the life of a stream: unconnected, connected, twice, after a write, while it closes, in its close
 * callback. A closed stream is not writable: ENOTCONN. luv's tests call uv_shutdown in a close callback. Then the other functions
 * that can be called safely on a handle in its close callback, where libuv's handle has no descriptor any more. */
#include "common.h"

static uv_loop_t* loop;
static uv_pipe_t pipes[2];
static uv_tcp_t tcp;
static uv_shutdown_t requests[16];
static uv_write_t write_req;
static int used;
static uv_handle_t* expected;

static void on_shutdown(uv_shutdown_t* req, int status) {
  printf("shutdown %d: %d, of its stream %d, closing %d\n", (int) (req - requests), status,
         (uv_handle_t*) req->handle == expected, uv_is_closing((uv_handle_t*) req->handle));
}

static void attempt(const char* when, uv_stream_t* stream) {
  int result = uv_shutdown(&requests[used], stream, on_shutdown);
  printf("%s: %d, writable %d, active %d, alive %d\n", when, result, uv_is_writable(stream),
         uv_is_active((uv_handle_t*) stream), uv_loop_alive(loop));
  used++;
}

static void on_close(uv_handle_t* handle) {
  attempt("in the close callback", (uv_stream_t*) handle);
  attempt("again", (uv_stream_t*) handle);
}

static void on_write(uv_write_t* req, int status) {
  printf("write %d\n", status);
  attempt("in the write callback", req->handle);
}

static void pair(void) {
  int fds[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
  uv_pipe_init(loop, &pipes[0], 0);
  uv_pipe_init(loop, &pipes[1], 0);
  printf("open %d %d\n", uv_pipe_open(&pipes[0], fds[0]), uv_pipe_open(&pipes[1], fds[1]));
  expected = (uv_handle_t*) &pipes[0];
}

static void finish(void) {
  if (!uv_is_closing((uv_handle_t*) &pipes[0]))
    uv_close((uv_handle_t*) &pipes[0], on_close);
  uv_close((uv_handle_t*) &pipes[1], NULL);
  printf("run %d\n", uv_run(loop, UV_RUN_DEFAULT));
  used = 0;
}

static void on_alloc(uv_handle_t* handle, size_t size, uv_buf_t* buf) { (void) handle; (void) size; *buf = uv_buf_init(NULL, 0); }
static void on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buf) { (void) stream; (void) count; (void) buf; }
static void on_timer(uv_timer_t* handle) { printf("timer\n"); (void) handle; }
static void on_async(uv_async_t* handle) { printf("async\n"); (void) handle; }
static void on_poll(uv_poll_t* handle, int status, int events) { printf("poll %d %d\n", status, events); (void) handle; }

static void on_stream_close(uv_handle_t* handle) {
  uv_stream_t* stream = (uv_stream_t*) handle;
  uv_buf_t buf = uv_buf_init("x", 1);
  uv_os_fd_t fd;
  struct sockaddr_storage address;
  int size = sizeof(address), value = 0;
  char text[64];
  size_t length = sizeof(text);
  printf("read_start %d\n", uv_read_start(stream, on_alloc, on_read));
  printf("read_stop %d\n", uv_read_stop(stream));
  printf("write %d\n", uv_write(&write_req, stream, &buf, 1, NULL));
  printf("try_write %d\n", uv_try_write(stream, &buf, 1));
  printf("fileno %d\n", uv_fileno(handle, &fd));
  printf("queue %d, readable %d, writable %d\n", (int) uv_stream_get_write_queue_size(stream), uv_is_readable(stream),
         uv_is_writable(stream));
  printf("active %d, closing %d, ref %d\n", uv_is_active(handle), uv_is_closing(handle), uv_has_ref(handle));
  printf("send_buffer_size %d\n", uv_send_buffer_size(handle, &value));
  if (handle->type == UV_TCP) {
    printf("getsockname %d\n", uv_tcp_getsockname((uv_tcp_t*) handle, (struct sockaddr*) &address, &size));
    printf("getpeername %d\n", uv_tcp_getpeername((uv_tcp_t*) handle, (struct sockaddr*) &address, &size));
  } else {
    printf("getsockname %d\n", uv_pipe_getsockname((uv_pipe_t*) handle, text, &length));
    printf("pending %d\n", uv_pipe_pending_count((uv_pipe_t*) handle));
  }
}

static void on_timer_close(uv_handle_t* handle) {
  uv_timer_t* timer = (uv_timer_t*) handle;
  printf("timer start %d, again %d, stop %d, due %d\n", uv_timer_start(timer, on_timer, 0, 0), uv_timer_again(timer),
         uv_timer_stop(timer), (int) uv_timer_get_due_in(timer));
}

static void on_poll_close(uv_handle_t* handle) {
  printf("poll stop %d\n", uv_poll_stop((uv_poll_t*) handle));
}

static void on_async_close(uv_handle_t* handle) {
  printf("async send %d\n", uv_async_send((uv_async_t*) handle));
}

static void after_close(void) {
  uv_timer_t timer;
  uv_async_t async;
  uv_poll_t poll;
  int fds[2];
  printf("-- other functions in the close callback\n");
  pair();
  uv_close((uv_handle_t*) &pipes[0], on_stream_close);
  uv_close((uv_handle_t*) &pipes[1], NULL);
  printf("run %d\n", uv_run(loop, UV_RUN_DEFAULT));
  uv_tcp_init_ex(loop, &tcp, AF_INET);
  uv_close((uv_handle_t*) &tcp, on_stream_close);
  printf("run %d\n", uv_run(loop, UV_RUN_DEFAULT));
  uv_tcp_init(loop, &tcp);
  printf("reset %d\n", uv_tcp_close_reset(&tcp, on_close));
  printf("run %d\n", uv_run(loop, UV_RUN_DEFAULT));
  used = 0;
  uv_timer_init(loop, &timer);
  uv_timer_start(&timer, on_timer, 5, 5);
  uv_close((uv_handle_t*) &timer, on_timer_close);
  uv_async_init(loop, &async, on_async);
  uv_close((uv_handle_t*) &async, on_async_close);
  socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
  uv_poll_init(loop, &poll, fds[0]);
  uv_poll_start(&poll, UV_READABLE, on_poll);
  uv_close((uv_handle_t*) &poll, on_poll_close);
  printf("run %d\n", uv_run(loop, UV_RUN_DEFAULT));
  close(fds[0]);
  close(fds[1]);
}

int main(void) {
  uv_buf_t buf = uv_buf_init("hello", 5);
  loop = uv_default_loop();

  printf("-- never connected\n");
  uv_tcp_init(loop, &tcp);
  attempt("unconnected", (uv_stream_t*) &tcp);
  uv_close((uv_handle_t*) &tcp, on_close);
  attempt("closing", (uv_stream_t*) &tcp);
  printf("run %d\n", uv_run(loop, UV_RUN_DEFAULT));
  used = 0;

  printf("-- closed only\n");
  pair();
  finish();

  printf("-- twice\n");
  pair();
  attempt("first", (uv_stream_t*) &pipes[0]);
  attempt("second", (uv_stream_t*) &pipes[0]);
  printf("run %d\n", uv_run(loop, UV_RUN_DEFAULT));
  attempt("third", (uv_stream_t*) &pipes[0]);
  finish();

  printf("-- closed before it is done\n");
  pair();
  attempt("first", (uv_stream_t*) &pipes[0]);
  uv_close((uv_handle_t*) &pipes[0], on_close);
  attempt("closing", (uv_stream_t*) &pipes[0]);
  finish();

  printf("-- after a write\n");
  pair();
  printf("write %d\n", uv_write(&write_req, (uv_stream_t*) &pipes[0], &buf, 1, on_write));
  printf("run %d\n", uv_run(loop, UV_RUN_DEFAULT));
  finish();

  printf("-- write, close\n");
  pair();
  printf("write %d\n", uv_write(&write_req, (uv_stream_t*) &pipes[0], &buf, 1, on_write));
  uv_close((uv_handle_t*) &pipes[0], on_close);
  finish();

  printf("-- the reader is gone\n");
  pair();
  uv_close((uv_handle_t*) &pipes[1], NULL);
  printf("run %d\n", uv_run(loop, UV_RUN_DEFAULT));
  attempt("first", (uv_stream_t*) &pipes[0]);
  uv_close((uv_handle_t*) &pipes[0], on_close);
  printf("run %d\n", uv_run(loop, UV_RUN_DEFAULT));
  used = 0;
  after_close();
  printf("close %d\n", uv_loop_close(loop));
  return 0;
}
