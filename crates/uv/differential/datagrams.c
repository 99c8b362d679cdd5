/* Datagrams: buffers at NULL, and what the callback gets of a batch when the handle is stopped or closed in its middle. */
#include "common.h"

#define ROOM (4 * 64 * 1024)

static uv_loop_t loop;
static uv_udp_t receiver, sender;
static struct sockaddr_in to;
static int given, got_back, calls, after;
static enum { GO_ON, STOP, CLOSE, CLOSE_AT_ALLOC } what;

static void closed(uv_handle_t* handle) {
  printf("  closed %s\n", handle == (uv_handle_t*) &receiver ? "receiver" : "sender");
}

static void end(void) {
  uv_handle_t* handles[] = {(uv_handle_t*) &receiver, (uv_handle_t*) &sender};
  for (int i = 0; i < 2; i++)
    if (!uv_is_closing(handles[i]))
      uv_close(handles[i], closed);
}

static void bring(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  printf("  alloc %zu\n", suggested);
  *buf = uv_buf_init(malloc(ROOM), ROOM);
  given++;
  if (what == CLOSE_AT_ALLOC)
    end();
}

static void received(uv_udp_t* handle, ssize_t nread, const uv_buf_t* buf, const struct sockaddr* from, unsigned flags) {
  printf("  %zd %s flags %u\n", nread, from == NULL ? "nobody" : "somebody", flags);
  if (!(flags & UV_UDP_MMSG_CHUNK)) {
    free(buf->base);
    got_back++;
  }
  calls++;
  if (calls == after && what == STOP)
    printf("  stop %d\n", uv_udp_recv_stop(handle));
  if (calls == after && what == CLOSE)
    end();
}

static void try_all(int kind, int many, int at) {
  uv_buf_t buf = uv_buf_init("hello", 5);
  int length = sizeof(to);
  what = kind, after = at, calls = given = got_back = 0;
  printf("kind %d many %d after %d\n", kind, many, at);
  printf("  init %d\n", uv_udp_init_ex(&loop, &receiver, AF_INET | (many ? UV_UDP_RECVMMSG : 0)));
  uv_udp_init(&loop, &sender);
  uv_ip4_addr("127.0.0.1", 0, &to);
  uv_udp_bind(&receiver, (struct sockaddr*) &to, 0);
  uv_udp_getsockname(&receiver, (struct sockaddr*) &to, &length);
  for (int i = 0; i < 3; i++)
    printf("  sent %d\n", uv_udp_try_send(&sender, &buf, 1, (struct sockaddr*) &to));
  printf("  start %d\n", uv_udp_recv_start(&receiver, bring, received));
  for (int i = 0; i < 3; i++)
    uv_run(&loop, UV_RUN_NOWAIT);
  end();
  uv_run(&loop, UV_RUN_DEFAULT);
  printf("  given %d back %d\n", given, got_back);
}

/* Buffers at NULL, with a size of 0 and with a larger one. */
static void try_nulls(void) {
  uv_buf_t bufs[3] = {{NULL, 0}, {"ab", 2}, {NULL, 0}}, bad = {NULL, 3};
  char got[8] = "";
  uv_pipe_t pipe;
  int fds[2];
  uv_socketpair(SOCK_STREAM, 0, fds, 0, 0);
  uv_pipe_init(&loop, &pipe, 0);
  printf("open %d\n", uv_pipe_open(&pipe, fds[0]));
  printf("nothing %d\n", uv_try_write((uv_stream_t*) &pipe, bufs, 1));
  printf("some %d\n", uv_try_write((uv_stream_t*) &pipe, bufs, 3));
  printf("bad %d\n", uv_try_write((uv_stream_t*) &pipe, &bad, 1));
  printf("read %zd [%s]\n", read(fds[1], got, sizeof(got) - 1), got);
  close(fds[1]);
  uv_close((uv_handle_t*) &pipe, NULL);
  uv_udp_init_ex(&loop, &sender, AF_INET);
  uv_ip4_addr("127.0.0.1", 9, &to);
  printf("datagram %d\n", uv_udp_try_send(&sender, bufs, 3, (struct sockaddr*) &to));
  printf("empty %d\n", uv_udp_try_send(&sender, bufs, 1, (struct sockaddr*) &to));
  printf("bad %d\n", uv_udp_try_send(&sender, &bad, 1, (struct sockaddr*) &to));
  uv_close((uv_handle_t*) &sender, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
}

int main(void) {
  uv_loop_init(&loop);
  for (int many = 0; many < 2; many++) {
    try_all(GO_ON, many, 0);
    for (int at = 1; at < 4; at++) {
      try_all(STOP, many, at);
      try_all(CLOSE, many, at);
    }
    try_all(CLOSE_AT_ALLOC, many, 0);
  }
  try_nulls();
  printf("close %d\n", uv_loop_close(&loop));
  return 0;
}
