/* A program that keeps its loop alive in several ways, for `why.rs`. It ends when its standard input does. It declares what it uses of libuv
   itself, so that it needs no headers. */
#include <stdlib.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>

typedef struct uv_loop_s uv_loop_t;
typedef struct { char *base; size_t len; } uv_buf_t;
typedef void callback(void *);
typedef void callback_status(void *, int);

extern uv_loop_t *uv_default_loop(void);
extern int uv_run(uv_loop_t *, int);
extern size_t uv_handle_size(int), uv_req_size(int);
extern void uv_unref(void *);
extern int uv_timer_init(uv_loop_t *, void *), uv_timer_start(void *, callback *, unsigned long, unsigned long);
extern int uv_tcp_init(uv_loop_t *, void *), uv_tcp_bind(void *, const struct sockaddr *, unsigned);
extern int uv_listen(void *, int, callback_status *);
extern int uv_pipe_init(uv_loop_t *, void *, int), uv_pipe_open(void *, int);
extern int uv_read_start(void *, void (*)(void *, size_t, uv_buf_t *), void (*)(void *, ssize_t, const uv_buf_t *));
extern int uv_fs_open(uv_loop_t *, void *, const char *, int, int, callback *);
extern int uv_queue_work(uv_loop_t *, void *, callback *, callback_status *);

enum { NAMED_PIPE = 7, TCP = 12, TIMER = 13, FS = 6, WORK = 7 };

static void on_timer(void *handle) { (void)handle; }
static void on_connection(void *handle, int status) { (void)handle, (void)status; }
static void on_open(void *request) { (void)request; }
static void wait_for_end(void *request) { (void)request, pause(); }

static void allocate(void *handle, size_t size, uv_buf_t *buffer) {
  static char memory[16];
  (void)handle, (void)size;
  buffer->base = memory;
  buffer->len = sizeof memory;
}

static void on_input(void *stream, ssize_t count, const uv_buf_t *buffer) {
  (void)stream, (void)buffer;
  if (count < 0) _exit(0);
}

static void *handle(int kind) { return calloc(1, uv_handle_size(kind)); }

int main(int argc, char **argv) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  uv_loop_t *loop = uv_default_loop();
  void *timer = handle(TIMER), *unreferenced = handle(TIMER), *server = handle(TCP), *input = handle(NAMED_PIPE);
  if (argc < 2) return 2;
  uv_timer_init(loop, timer);
  uv_timer_start(timer, on_timer, 3600000, 1000);
  uv_timer_init(loop, unreferenced);
  uv_timer_start(unreferenced, on_timer, 3600000, 0);
  uv_unref(unreferenced);
  uv_tcp_init(loop, server);
  uv_tcp_bind(server, (const struct sockaddr *)&address, 0);
  if (uv_listen(server, 8, on_connection) != 0) return 1;
  uv_pipe_init(loop, input, 0);
  uv_pipe_open(input, 0);
  uv_read_start(input, allocate, on_input);
  uv_fs_open(loop, calloc(1, uv_req_size(FS)), argv[1], 0, 0, on_open);
  uv_queue_work(loop, calloc(1, uv_req_size(WORK)), wait_for_end, NULL);
  return uv_run(loop, 0);
}
