/* Calls every function on handles in unsuitable states: new, bound, listening, broken, closing.
 *
 * Each call runs in its own child process, so that it does not affect the next one. Closing handles are not given a new descriptor:
 * libuv accepts it and leaks it. */
#include "common.h"
#include <netinet/in.h>
#include <signal.h>
#include <sys/un.h>
#include <sys/wait.h>

static uv_loop_t* loop;
static struct sockaddr_in v4;
static struct sockaddr_in6 v6;
static struct sockaddr_un local;
static struct sockaddr bad;
static struct sockaddr_storage name;
static uv_buf_t buf;
static uv_connect_t connect_req;
static uv_write_t write_req;
static uv_shutdown_t shutdown_req;
static uv_udp_send_t send_req;
static uv_tcp_t other;
static uv_os_fd_t fd;
static int value, size;

static void bring(uv_handle_t* handle, size_t suggested, uv_buf_t* to) {
  static char room[65536];
  *to = uv_buf_init(room, sizeof(room));
}

static void got(uv_stream_t* stream, ssize_t count, const uv_buf_t* from) {
  printf(" got %zd", count);
}

static void received(uv_udp_t* handle, ssize_t count, const uv_buf_t* to, const struct sockaddr* from, unsigned flags) {
  printf(" received %zd", count);
}

static void connection(uv_stream_t* stream, int status) {
  printf(" connection %d", status);
}

static void connected(uv_connect_t* req, int status) {
  printf(" connected %d", status);
}

static void written(uv_write_t* req, int status) {
  printf(" written %d", status);
}

static void shut(uv_shutdown_t* req, int status) {
  printf(" shut %d", status);
}

static void sent(uv_udp_send_t* req, int status) {
  printf(" sent %d", status);
}

static int begin(const char* question) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    uv_loop_fork(loop);
    printf("  %s: ", question);
    return 1;
  }
  int status;
  waitpid(child, &status, 0);
  if (status != 0)
    printf("  ended with %d\n", status);
  return 0;
}

static void finish(long answer) {
  printf("%ld", answer);
  uv_run(loop, UV_RUN_NOWAIT);
  uv_run(loop, UV_RUN_NOWAIT);
  printf("\n");
  fflush(stdout);
  _exit(0);
}

#define ASK(...)                                \
  do {                                          \
    if (begin(#__VA_ARGS__))                    \
      finish((long) (__VA_ARGS__));             \
  } while (0)

static void ask_handle(const char* state, void* h) {
  printf("%s\n", state);
  ASK(uv_is_active(h));
  ASK(uv_is_closing(h));
  ASK(uv_has_ref(h));
  ASK(uv_fileno(h, &fd));
  ASK((value = 0, uv_send_buffer_size(h, &value)));
  ASK((value = 0, uv_recv_buffer_size(h, &value)));
  ASK((value = -5, uv_send_buffer_size(h, &value)));
  ASK((value = 5000, uv_recv_buffer_size(h, &value)));
  ASK(uv_send_buffer_size(h, NULL));
  ASK(uv_handle_get_type(h));
  ASK((uv_ref(h), uv_unref(h), uv_unref(h), uv_has_ref(h)));
  ASK((uv_close(h, NULL), uv_is_active(h) + 2 * uv_is_closing(h) + 4 * uv_has_ref(h)));
}

static void ask_stream(const char* state, void* h) {
  ask_handle(state, h);
  ASK(uv_is_readable(h));
  ASK(uv_is_writable(h));
  ASK(uv_read_start(h, bring, got));
  ASK(uv_read_start(h, NULL, got));
  ASK(uv_read_start(h, bring, NULL));
  ASK(uv_read_start(NULL, bring, got));
  ASK(uv_read_stop(h));
  ASK(uv_try_write(h, &buf, 1));
  ASK(uv_try_write(h, &buf, 0));
  ASK(uv_try_write(h, &buf, -1));
  ASK(uv_write(&write_req, h, &buf, 1, written));
  ASK(uv_write(&write_req, h, &buf, 0, written));
  ASK(uv_write(&write_req, h, &buf, -1, written));
  ASK(uv_write(&write_req, h, &buf, 1, NULL));
  ASK(uv_shutdown(&shutdown_req, h, shut));
  ASK(uv_shutdown(&shutdown_req, h, NULL));
  ASK(uv_listen(h, 5, connection));
  ASK(uv_listen(h, 0, connection));
  ASK(uv_listen(h, -1, connection));
  ASK(uv_stream_set_blocking(h, 1));
  ASK(uv_stream_get_write_queue_size(h));
  ASK(uv_accept(h, (void*) &other));
  ASK(uv_write2(&write_req, h, &buf, 1, (void*) &other, written));
  ASK(uv_try_write2(h, &buf, 1, (void*) &other));
  ASK((uv_close(h, NULL), uv_read_start(h, bring, got)));
  ASK((uv_close(h, NULL), uv_read_stop(h)));
  ASK((uv_close(h, NULL), uv_write(&write_req, h, &buf, 1, written)));
  ASK((uv_close(h, NULL), uv_try_write(h, &buf, 1)));
  ASK((uv_close(h, NULL), uv_shutdown(&shutdown_req, h, shut)));
  ASK((uv_close(h, NULL), uv_listen(h, 5, connection)));
  ASK((uv_close(h, NULL), uv_fileno(h, &fd)));
  ASK((uv_close(h, NULL), uv_is_readable(h) + 2 * uv_is_writable(h)));
  ASK((uv_shutdown(&shutdown_req, h, shut), uv_write(&write_req, h, &buf, 1, written)));
  ASK((uv_shutdown(&shutdown_req, h, shut), uv_shutdown(&shutdown_req, h, shut)));
  ASK((uv_write(&write_req, h, &buf, 1, NULL), uv_shutdown(&shutdown_req, h, NULL)));
  ASK((uv_read_start(h, bring, got), uv_read_start(h, bring, got)));
}

static void ask_tcp(const char* state, uv_tcp_t* h) {
  ask_stream(state, h);
  ASK(uv_tcp_bind(h, (void*) &v4, 0));
  ASK(uv_tcp_bind(h, (void*) &v6, 0));
  ASK(uv_tcp_bind(h, (void*) &v4, UV_TCP_IPV6ONLY));
  ASK(uv_tcp_bind(h, (void*) &local, 0));
  ASK(uv_tcp_bind(h, &bad, 0));
  ASK(uv_tcp_bind(h, (void*) &v4, 0xff00));
  ASK(uv_tcp_connect(&connect_req, h, (void*) &v4, connected));
  ASK(uv_tcp_connect(&connect_req, h, (void*) &v4, NULL));
  ASK(uv_tcp_connect(&connect_req, h, (void*) &v6, connected));
  ASK(uv_tcp_connect(&connect_req, h, (void*) &local, connected));
  ASK(uv_tcp_connect(&connect_req, h, &bad, connected));
  ASK((uv_tcp_connect(&connect_req, h, (void*) &v4, connected),
       uv_tcp_connect(&connect_req, h, (void*) &v4, connected)));
  ASK((size = sizeof(name), uv_tcp_getsockname(h, (void*) &name, &size)));
  ASK((size = sizeof(name), uv_tcp_getpeername(h, (void*) &name, &size)));
  ASK((size = 2, uv_tcp_getsockname(h, (void*) &name, &size)));
  ASK((size = -1, uv_tcp_getsockname(h, (void*) &name, &size)));
  ASK((size = 0, uv_tcp_getpeername(h, (void*) &name, &size)));
  ASK(uv_tcp_nodelay(h, 1));
  ASK(uv_tcp_nodelay(h, -7));
  ASK(uv_tcp_keepalive(h, 1, 0));
  ASK(uv_tcp_keepalive(h, 1, 60));
  ASK(uv_tcp_keepalive(h, 0, 0));
  ASK(uv_tcp_keepalive(h, 1, -1));
  ASK(uv_tcp_keepalive_ex(h, 1, 60, 0, 1));
  ASK(uv_tcp_keepalive_ex(h, 1, 60, 1, 0));
  ASK(uv_tcp_keepalive_ex(h, 1, 0, 1, 1));
  ASK(uv_tcp_simultaneous_accepts(h, 0));
  ASK(uv_tcp_open(h, -1));
  ASK(uv_tcp_open(h, 1000));
  ASK(uv_tcp_open(h, socket(AF_INET, SOCK_STREAM, 0)));
  ASK(uv_tcp_open(h, socket(AF_UNIX, SOCK_STREAM, 0)));
  ASK(uv_tcp_close_reset(h, NULL));
  ASK((uv_shutdown(&shutdown_req, (void*) h, shut), uv_tcp_close_reset(h, NULL)));
  ASK((uv_close((void*) h, NULL), uv_tcp_bind(h, (void*) &v4, 0)));
  ASK((uv_close((void*) h, NULL), uv_tcp_nodelay(h, 1)));
  ASK((uv_close((void*) h, NULL), size = sizeof(name), uv_tcp_getsockname(h, (void*) &name, &size)));
}

static void ask_udp(const char* state, uv_udp_t* h) {
  uv_buf_t* bufs[1] = {&buf};
  unsigned counts[1] = {1};
  struct sockaddr* addresses[1] = {(struct sockaddr*) &v4};
  ask_handle(state, h);
  ASK(uv_udp_bind(h, (void*) &v4, 0));
  ASK(uv_udp_bind(h, (void*) &v6, 0));
  ASK(uv_udp_bind(h, (void*) &v4, UV_UDP_IPV6ONLY));
  ASK(uv_udp_bind(h, (void*) &v4, 0xff00));
  ASK(uv_udp_bind(h, &bad, 0));
  ASK(uv_udp_connect(h, (void*) &v4));
  ASK(uv_udp_connect(h, NULL));
  ASK(uv_udp_connect(h, &bad));
  ASK(uv_udp_send(&send_req, h, &buf, 1, (void*) &v4, sent));
  ASK(uv_udp_send(&send_req, h, &buf, 0, (void*) &v4, sent));
  ASK(uv_udp_send(&send_req, h, &buf, 1, NULL, sent));
  ASK(uv_udp_send(&send_req, h, &buf, 1, (void*) &v4, NULL));
  ASK(uv_udp_send(&send_req, h, &buf, 1, &bad, sent));
  ASK(uv_udp_send(&send_req, h, &buf, 1, (void*) &v6, sent));
  ASK(uv_udp_try_send(h, &buf, 1, (void*) &v4));
  ASK(uv_udp_try_send(h, &buf, 0, (void*) &v4));
  ASK(uv_udp_try_send(h, &buf, 1, NULL));
  ASK(uv_udp_try_send(h, &buf, 1, &bad));
  ASK(uv_udp_recv_start(h, NULL, received));
  ASK(uv_udp_recv_start(h, bring, NULL));
  ASK(uv_udp_recv_start(h, bring, received));
  ASK((uv_udp_recv_start(h, bring, received), uv_udp_recv_start(h, bring, received)));
  ASK(uv_udp_recv_stop(h));
  ASK(uv_udp_set_ttl(h, 0));
  ASK(uv_udp_set_ttl(h, 256));
  ASK(uv_udp_set_ttl(h, 64));
  ASK(uv_udp_set_broadcast(h, 1));
  ASK(uv_udp_set_broadcast(h, 77));
  ASK(uv_udp_set_multicast_loop(h, 1));
  ASK(uv_udp_set_multicast_loop(h, 300));
  ASK(uv_udp_set_multicast_ttl(h, 300));
  ASK(uv_udp_set_multicast_ttl(h, -1));
  ASK(uv_udp_set_multicast_interface(h, "127.0.0.1"));
  ASK(uv_udp_set_multicast_interface(h, "bad"));
  ASK(uv_udp_set_multicast_interface(h, NULL));
  ASK(uv_udp_set_multicast_interface(h, "::1"));
  ASK(uv_udp_set_membership(h, "239.0.0.1", NULL, UV_JOIN_GROUP));
  ASK(uv_udp_set_membership(h, "bad", NULL, UV_JOIN_GROUP));
  ASK(uv_udp_set_membership(h, "239.0.0.1", NULL, 7));
  ASK(uv_udp_set_membership(h, "239.0.0.1", "bad", UV_JOIN_GROUP));
  ASK(uv_udp_set_membership(h, "239.0.0.1", NULL, UV_LEAVE_GROUP));
  ASK(uv_udp_set_membership(h, "ff02::1", NULL, UV_JOIN_GROUP));
  ASK(uv_udp_set_source_membership(h, "239.0.0.1", NULL, "127.0.0.1", UV_JOIN_GROUP));
  ASK(uv_udp_set_source_membership(h, "239.0.0.1", NULL, "bad", UV_JOIN_GROUP));
  ASK(uv_udp_set_source_membership(h, "239.0.0.1", NULL, "::1", UV_JOIN_GROUP));
  ASK((size = sizeof(name), uv_udp_getsockname(h, (void*) &name, &size)));
  ASK((size = sizeof(name), uv_udp_getpeername(h, (void*) &name, &size)));
  ASK((size = -3, uv_udp_getsockname(h, (void*) &name, &size)));
  ASK(uv_udp_open(h, -1));
  ASK(uv_udp_open(h, socket(AF_INET, SOCK_DGRAM, 0)));
  ASK(uv_udp_open(h, socket(AF_INET, SOCK_STREAM, 0)));
  ASK(uv_udp_open_ex(h, socket(AF_INET, SOCK_DGRAM, 0), 0xff00));
  ASK(uv_udp_using_recvmmsg(h));
  ASK(uv_udp_get_send_queue_size(h));
  ASK(uv_udp_try_send2(h, 1, bufs, counts, addresses, 0));
  ASK(uv_udp_try_send2(h, 0, bufs, counts, addresses, 0));
  ASK(uv_udp_try_send2(h, 1, bufs, counts, addresses, 1));
  ASK((uv_close((void*) h, NULL), uv_udp_recv_stop(h)));
  ASK((uv_close((void*) h, NULL), uv_udp_set_ttl(h, 4)));
}

static void end(void* handle) {
  uv_close(handle, NULL);
  uv_run(loop, UV_RUN_NOWAIT);
}

static void tcp(void) {
  uv_tcp_t handle;
  uv_tcp_init(loop, &handle);
  ask_tcp("fresh tcp", &handle);
  end(&handle);
  printf("%d %d\n", uv_tcp_init_ex(loop, &handle, 77), uv_tcp_init_ex(loop, &handle, AF_INET | 0x100));
  uv_tcp_init_ex(loop, &handle, AF_INET);
  ask_tcp("tcp with a socket", &handle);
  struct sockaddr_in any = v4;
  any.sin_port = 0;
  uv_tcp_bind(&handle, (struct sockaddr*) &any, 0);
  ask_tcp("bound tcp", &handle);
  uv_listen((uv_stream_t*) &handle, 5, connection);
  ask_tcp("listening tcp", &handle);
  end(&handle);
}

static void pipes(int ipc) {
  uv_pipe_t handle;
  uv_os_fd_t fds[2];
  printf("ipc %d\n", ipc);
  uv_pipe_init(loop, &handle, ipc);
  ask_stream("fresh pipe", &handle);
  uv_socketpair(SOCK_STREAM, 0, fds, 0, 0);
  uv_pipe_open(&handle, fds[0]);
  ask_stream("pair of sockets", &handle);
  close(fds[1]);
  ask_stream("broken pair", &handle);
  end(&handle);
  uv_pipe(fds, 0, 0);
  uv_pipe_init(loop, &handle, 0);
  uv_pipe_open(&handle, fds[ipc]);
  ask_stream(ipc ? "writing end" : "reading end", &handle);
  close(fds[!ipc]);
  ask_stream("broken end", &handle);
  end(&handle);
}

static void udp(void) {
  uv_udp_t handle;
  uv_udp_init(loop, &handle);
  ask_udp("fresh udp", &handle);
  struct sockaddr_in any = v4;
  any.sin_port = 0;
  uv_udp_bind(&handle, (struct sockaddr*) &any, 0);
  ask_udp("bound udp", &handle);
  uv_udp_connect(&handle, (struct sockaddr*) &v4);
  ask_udp("connected udp", &handle);
  end(&handle);
  printf("%d %d\n", uv_udp_init_ex(loop, &handle, 77), uv_udp_init_ex(loop, &handle, AF_INET | 0x800000));
  uv_udp_init_ex(loop, &handle, AF_INET6);
  ask_udp("udp with a socket", &handle);
  end(&handle);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  loop = uv_default_loop();
  uv_ip4_addr("127.0.0.1", 9, &v4);
  uv_ip6_addr("::1", 9, &v6);
  local.sun_family = AF_UNIX;
  strcpy(local.sun_path, "nobody");
  bad.sa_family = 77;
  buf = uv_buf_init("hello", 5);
  uv_tcp_init(loop, &other);
  tcp();
  pipes(0);
  pipes(1);
  udp();
  return 0;
}
