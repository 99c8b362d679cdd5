/* Which buffer each read callback gets, and when alloc_cb is not called: ends of streams, handles closed in their own callbacks. */
#include "common.h"
#include <sys/stat.h>

static uv_loop_t* loop;
static int close_in_alloc, close_in_chunk;
static char room[20 * 65536];

static void closed(uv_handle_t* handle) {
  printf("  closed %s\n", uv_handle_type_name(handle->type));
  memset(handle, 0xaa, uv_handle_size(handle->type));
}

static void bring(uv_handle_t* handle, size_t size, uv_buf_t* buf) {
  printf("  bring %zu\n", size);
  *buf = uv_buf_init(room, handle->type == UV_UDP ? sizeof(room) : 10);
  if (close_in_alloc)
    uv_close(handle, closed);
}

static void got(uv_stream_t* stream, ssize_t count, const uv_buf_t* buf) {
  printf("  got %zd, buffer %d of %zu, active %d\n", count, buf->base == room, buf->len,
         uv_is_active((uv_handle_t*) stream));
}

static void received(uv_udp_t* handle, ssize_t count, const uv_buf_t* buf, const struct sockaddr* from, unsigned flags) {
  printf("  received %zd at %d of %zu, from %d, flags %u\n", count, (int) (buf->base - room), buf->len, from != NULL, flags);
  if (close_in_chunk && !uv_is_closing((uv_handle_t*) handle))
    uv_close((uv_handle_t*) handle, closed);
}

/* A reader gets the end of a pipe or socket, with `left` still unread: nothing, less than the buffer, or exactly the buffer. */
static void ends(int sockets, const char* left) {
  uv_pipe_t reader;
  int fds[2];
  printf("end of a %s with %zu left\n", sockets ? "socket" : "pipe", strlen(left));
  if (sockets)
    uv_socketpair(SOCK_STREAM, 0, fds, UV_NONBLOCK_PIPE, 0);
  else
    uv_pipe(fds, UV_NONBLOCK_PIPE, 0);
  uv_pipe_init(loop, &reader, 0);
  uv_pipe_open(&reader, fds[0]);
  uv_read_start((uv_stream_t*) &reader, bring, got);
  if (write(fds[1], left, strlen(left)) < 0)
    printf("cannot write\n");
  close(fds[1]);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_close((uv_handle_t*) &reader, closed);
  uv_run(loop, UV_RUN_DEFAULT);
}

static void datagrams(unsigned flags) {
  uv_udp_t handle;
  struct sockaddr_in to;
  int size = sizeof(to);
  printf("datagrams, flags %u, closed in bring %d, in received %d\n", flags, close_in_alloc, close_in_chunk);
  uv_udp_init_ex(loop, &handle, flags);
  uv_ip4_addr("127.0.0.1", 0, &to);
  uv_udp_bind(&handle, (struct sockaddr*) &to, 0);
  uv_udp_getsockname(&handle, (struct sockaddr*) &to, &size);
  uv_udp_recv_start(&handle, bring, received);
  for (int i = 0; i < 4; i++) {
    uv_buf_t buf = uv_buf_init("datagram", 5 + i);
    uv_udp_try_send(&handle, &buf, 1, (struct sockaddr*) &to);
  }
  uv_run(loop, UV_RUN_NOWAIT);
  if (!close_in_alloc && !close_in_chunk)
    uv_close((uv_handle_t*) &handle, closed);
  uv_run(loop, UV_RUN_DEFAULT);
}

static uv_fs_event_t watchers[4];
static int changes;

static void changed(uv_fs_event_t* handle, const char* name, int events, int status) {
  printf("  %d: %s %d %d\n", (int) (handle - watchers), name, events, status);
  if (++changes == 1) {
    /* Reported in this turn too. The new handle is called before those that have not got the first change yet. */
    mkdir("folder/second", 0700);
    uv_fs_event_init(loop, &watchers[3]);
    uv_fs_event_start(&watchers[3], changed, "folder", 0);
  } else if (changes == 2) {
    uv_fs_event_stop(&watchers[2]);
    uv_fs_event_start(&watchers[2], changed, "folder", 0);
  }
}

static void in_their_own_calls(void) {
  printf("changes in calls\n");
  mkdir("folder", 0700);
  for (int i = 0; i < 3; i++) {
    uv_fs_event_init(loop, &watchers[i]);
    uv_fs_event_start(&watchers[i], changed, "folder", 0);
  }
  mkdir("folder/first", 0700);
  uv_run(loop, UV_RUN_NOWAIT);
  printf("  a turn is over\n");
  rmdir("folder/first");
  uv_run(loop, UV_RUN_NOWAIT);
  rmdir("folder/second");
  for (int i = 0; i < 4; i++)
    uv_close((uv_handle_t*) &watchers[i], closed);
  uv_run(loop, UV_RUN_DEFAULT);
  rmdir("folder");
}

int main(void) {
  loop = uv_default_loop();
  for (int sockets = 0; sockets < 2; sockets++) {
    ends(sockets, "");
    ends(sockets, "few");
    ends(sockets, "0123456789");
    ends(sockets, "0123456789a");
  }
  for (int i = 0; i < 6; i++) {
    close_in_alloc = i % 3 == 1;
    close_in_chunk = i % 3 == 2;
    datagrams(i < 3 ? 0 : UV_UDP_RECVMMSG);
  }
  in_their_own_calls();
  printf("loop close %d\n", uv_loop_close(loop));
  return 0;
}
