/* udp_pummel: one sender and one receiver; the sender sends a datagram of five buffers whenever the previous one was sent. */
#include "bench.h"

static const char text[] = "RANG TANG DING DONG I AM THE JAPANESE SANDMAN";

static uv_loop_t loop;
static uv_udp_t sender;
static uv_udp_t receiver;
static uv_udp_send_t request;
static struct sockaddr_in address;
static uv_buf_t pieces[5];
static uint64_t left;
static uint64_t received;
static char slab[65536];

static void give_slab(uv_handle_t* handle, size_t size, uv_buf_t* buffer) {
  (void) handle;
  (void) size;
  *buffer = uv_buf_init(slab, sizeof slab);
}

static void take(uv_udp_t* handle, ssize_t length, const uv_buf_t* buffer, const struct sockaddr* from, unsigned flags) {
  (void) handle;
  (void) from;
  (void) flags;
  MUST(length);
  if (length == 0)
    return;
  EXPECT(memcmp(buffer->base, text, (size_t) length) == 0);
  received++;
}

static void send_next(uv_udp_send_t* done, int status) {
  MUST(status);
  if (left == 0) {
    uv_close((uv_handle_t*) &sender, NULL);
    return;
  }
  left--;
  MUST(uv_udp_send(done, &sender, pieces, 5, (const struct sockaddr*) &address, send_next));
}

void bench_udp_pummel(const bench_params* params, bench_measure* out) {
  int length = sizeof address;
  unsigned i;
  for (i = 0; i < 5; i++)
    pieces[i] = uv_buf_init((char*) text + i * 10, i < 4 ? 10 : 5);
  left = params->count;
  MUST(uv_loop_init(&loop));
  MUST(uv_udp_init(&loop, &receiver));
  MUST(uv_ip4_addr("127.0.0.1", 0, &address));
  MUST(uv_udp_bind(&receiver, (const struct sockaddr*) &address, 0));
  MUST(uv_udp_getsockname(&receiver, (struct sockaddr*) &address, &length));
  MUST(uv_udp_recv_start(&receiver, give_slab, take));
  uv_unref((uv_handle_t*) &receiver);
  MUST(uv_udp_init(&loop, &sender));
  bench_begin(out);
  send_next(&request, 0);
  MUST(uv_run(&loop, UV_RUN_DEFAULT));
  bench_end(out, received);
  /* Loopback may drop a few datagrams, but not many, because the receiver reads in every turn. */
  EXPECT(received * 10 >= params->count * 9);
}
