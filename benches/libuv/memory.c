/* idle_tcp_memory: the memory of an idle connection in this process. The client ends are descriptors of
 * another process, so that only the memory of the library counts. */
#include <netinet/in.h>

#include "bench.h"

enum { BATCH = 100 };

static uv_loop_t loop;
static uint64_t accepted;

static void give_nothing(uv_handle_t* handle, size_t size, uv_buf_t* buffer) {
  (void) handle;
  (void) size;
  *buffer = uv_buf_init(NULL, 0);
}

static void never_read(uv_stream_t* stream, ssize_t length, const uv_buf_t* buffer) {
  (void) stream;
  (void) length;
  (void) buffer;
  EXPECT(!"an idle connection was readable");
}

static void accept_one(uv_stream_t* listener, int status) {
  uv_tcp_t* stream = malloc(sizeof *stream);
  EXPECT(stream != NULL);
  MUST(status);
  MUST(uv_tcp_init(&loop, stream));
  MUST(uv_accept(listener, (uv_stream_t*) stream));
  MUST(uv_read_start((uv_stream_t*) stream, give_nothing, never_read));
  accepted++;
}

/* Connects in batches that are smaller than the backlog, and accepts each batch before the next. */
static void connect_until(uint16_t port, uint64_t target) {
  while (accepted < target) {
    uint64_t batch_end = accepted + BATCH < target ? accepted + BATCH : target;
    MUST(bench_connect(port, batch_end - accepted));
    while (accepted < batch_end)
      MUST(uv_run(&loop, UV_RUN_ONCE));
  }
}

void bench_idle_tcp_memory(const bench_params* params, bench_measure* out) {
  static uv_tcp_t server;
  struct sockaddr_in address;
  uint64_t before;
  uint64_t after;
  MUST(uv_loop_init(&loop));
  MUST(uv_tcp_init(&loop, &server));
  address = bench_bind(&server);
  MUST(uv_listen((uv_stream_t*) &server, BATCH * 2, accept_one));
  /* The first batch includes allocations that a process makes once. */
  connect_until(ntohs(address.sin_port), BATCH);
  bench_begin(out);
  before = bench_resident_bytes();
  connect_until(ntohs(address.sin_port), BATCH + params->width);
  after = bench_resident_bytes();
  bench_end(out, (after - before) / params->width);
}
