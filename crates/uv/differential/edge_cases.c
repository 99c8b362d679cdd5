/* Meaningless arguments, and exhausted system resources. */
#include "common.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/un.h>

static uv_loop_t* loop;

static void on_exit_of(uv_process_t* process, int64_t status, int signum) {
  printf(" exit %d %d", (int) status, signum);
  uv_close((uv_handle_t*) process, NULL);
}

/* Prints the result of a child process and the fields of its handle. */
static void spawn(const char* name, char* file, char** args, char** env) {
  uv_process_t process;
  uv_process_options_t options;
  memset(&options, 0, sizeof(options));
  options.file = file;
  options.args = args;
  options.env = env;
  options.exit_cb = on_exit_of;
  int status = uv_spawn(loop, &process, &options);
  printf("spawn %s: %d active %d", name, status, uv_is_active((uv_handle_t*) &process));
  if (status != 0)
    uv_close((uv_handle_t*) &process, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  printf("\n");
}

static void on_truncate(uv_fs_t* req) {
  printf(" told %d", (int) req->result);
  uv_fs_req_cleanup(req);
}

static void truncate_odd(const char* name, int file, int64_t length) {
  uv_fs_t req;
  printf("ftruncate %s %lld: %d", name, (long long) length, uv_fs_ftruncate(NULL, &req, file, length, NULL));
  uv_fs_req_cleanup(&req);
  printf(" %d", uv_fs_ftruncate(loop, &req, file, length, on_truncate));
  uv_run(loop, UV_RUN_DEFAULT);
  printf("\n");
}

static void show_name(const char* name, int status, struct sockaddr_storage* addr, int len) {
  printf(" %s %d len %d", name, status, len);
  if (status == 0)
    printf(" family %d [%s]", addr->ss_family,
           addr->ss_family == AF_UNIX && len > 2 ? ((struct sockaddr_un*) addr)->sun_path : "");
}

/* A TCP handle with a socket of another family. */
static void names(const char* name, int fd) {
  uv_tcp_t tcp;
  struct sockaddr_storage addr;
  uv_tcp_init(loop, &tcp);
  printf("%s: open %d", name, uv_tcp_open(&tcp, fd));
  static const int rooms[] = {sizeof(struct sockaddr_storage), 16, 3, 2, 1, 0, -1};
  for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++) {
    for (int peer = 0; peer < 2; peer++) {
      int len = rooms[i];
      memset(&addr, 0, sizeof(addr));
      int status = peer ? uv_tcp_getpeername(&tcp, (struct sockaddr*) &addr, &len)
                        : uv_tcp_getsockname(&tcp, (struct sockaddr*) &addr, &len);
      show_name(peer ? "peer" : "own", status, &addr, len);
    }
  }
  printf("\n");
  uv_close((uv_handle_t*) &tcp, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
}

static void on_write(uv_write_t* req, int status) {
  printf(" [%d told %d of %zu, queued %zu]", (int) (intptr_t) req->data, status, uv_write_nwritten(req),
         uv_stream_get_write_queue_size(req->handle));
}

/* Writes zero bytes, in one buffer and in several, to a stream whose peer is closed. */
static void write_nothing(uv_stream_t* stream, const char* name) {
  char byte = 'x';
  uv_buf_t none[3] = {uv_buf_init(NULL, 0), uv_buf_init(&byte, 0), uv_buf_init(NULL, 0)}, one = uv_buf_init(&byte, 1);
  uv_buf_t last[2] = {none[0], one};
  uv_write_t reqs[6];
  printf("%s: try", name);
  for (unsigned count = 0; count <= 3; count++)
    printf(" %d", uv_try_write(stream, none, count));
  printf(" at NULL alone %d, before a byte %d", uv_try_write(stream, none, 1), uv_try_write(stream, last, 2));
  for (int i = 0; i < 6; i++)
    reqs[i].data = (void*) (intptr_t) i;
  printf(", write %d", uv_write(&reqs[0], stream, none, 3, on_write));
  printf(" %d", uv_write(&reqs[1], stream, none + 1, 1, on_write));
  printf(" %d", uv_write(&reqs[2], stream, none, 2, on_write));
  printf(" %d", uv_write(&reqs[3], stream, last, 2, on_write));
  printf(" %d", uv_write(&reqs[4], stream, none, 3, on_write));
  printf(" %d", uv_write(&reqs[5], stream, &one, 1, on_write));
  uv_run(loop, UV_RUN_DEFAULT);
  uv_close((uv_handle_t*) stream, NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  printf("\n");
}

static void broken(void) {
  int fds[2];
  uv_pipe_t pipe;
  uv_tcp_t tcp;
  uv_socketpair(SOCK_STREAM, 0, fds, 0, 0);
  uv_pipe_init(loop, &pipe, 0);
  uv_pipe_open(&pipe, fds[0]);
  close(fds[1]);
  write_nothing((uv_stream_t*) &pipe, "broken socket");
  uv_pipe(fds, 0, 0);
  uv_pipe_init(loop, &pipe, 0);
  uv_pipe_open(&pipe, fds[1]);
  close(fds[0]);
  write_nothing((uv_stream_t*) &pipe, "broken pipe");
  uv_socketpair(SOCK_STREAM, 0, fds, 0, 0);
  uv_tcp_init(loop, &tcp);
  uv_tcp_open(&tcp, fds[0]);
  write_nothing((uv_stream_t*) &tcp, "whole socket");
  close(fds[1]);
}

/* All descriptors are in use. */
static void exhausted(void) {
  struct rlimit limit = {0, 0}, before;
  size_t bytes = 0;
  double uptime = 0;
  uv_rusage_t usage;
  getrlimit(RLIMIT_NOFILE, &before);
  limit.rlim_max = before.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  printf("exhausted: resident %d", uv_resident_set_memory(&bytes));
  printf(" %d, usage %d", bytes != 0, uv_getrusage(&usage));
  printf(" uptime %d %d", uv_uptime(&uptime), uptime > 0);
  printf(" memory %d %d", uv_get_free_memory() > 0, uv_get_total_memory() > 0);
  printf("\n");
  setrlimit(RLIMIT_NOFILE, &before);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  loop = uv_default_loop();
  char* args[] = {"name", NULL};
  char* nothing[] = {NULL};
  char* env[] = {"PATH=/nowhere", NULL};
  spawn("empty", "", args, NULL);
  spawn("empty, without arguments", "", nothing, NULL);
  spawn("empty, with a path", "", args, env);
  spawn("null", NULL, args, NULL);
  spawn("null, with a path", NULL, args, env);
  spawn("null, without arguments", NULL, nothing, NULL);
  char* empty_path[] = {"PATH=", NULL};
  char* no_path[] = {"OTHER=1", NULL};
  spawn("along an empty path", "true", args, empty_path);
  spawn("empty, along an empty path", "", args, empty_path);
  spawn("without a path", "true", args, no_path);
  spawn("folder", "/", args, NULL);
  spawn("a slash at the end", "true/", args, NULL);
  static const int files[] = {-1, -2147483647 - 1, 9999};
  static const char* const file_names[] = {"-1", "the least", "9999"};
  static const int64_t lengths[] = {-1, 0, INT64_MIN, INT64_MAX};
  for (size_t f = 0; f < sizeof(files) / sizeof(*files); f++)
    for (size_t l = 0; l < sizeof(lengths) / sizeof(*lengths); l++)
      truncate_odd(file_names[f], files[f], lengths[l]);
  int null = open("/dev/null", O_RDWR);
  truncate_odd("null", null, -1);
  truncate_odd("null", null, 0);
  close(null);
  int fds[2], other[2];
  uv_socketpair(SOCK_STREAM, 0, fds, 0, 0);
  names("a pair", fds[0]);
  close(fds[1]);
  other[0] = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "oddities.sock"};
  unlink(un.sun_path);
  printf("bind %d\n", bind(other[0], (struct sockaddr*) &un, sizeof(un)));
  names("a named one", other[0]);
  unlink(un.sun_path);
  broken();
  exhausted();
  return 0;
}
