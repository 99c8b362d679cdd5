/* ping_pongs, tcp_write_batch, tcp_pump: both ends of each connection are on the same loop. */
#include "bench.h"

enum { PING_BYTES = 64, PUMP_WRITE_BYTES = 8192, MAX_CONNECTIONS = 1024 };

static uv_loop_t loop;
static uv_tcp_t server;
static uv_tcp_t clients[MAX_CONNECTIONS];
static uv_tcp_t accepted[MAX_CONNECTIONS];
static uv_connect_t connects[MAX_CONNECTIONS];
static uint64_t accepted_count;
static uint64_t connected_count;
static const bench_params* params;
static bench_measure* measure;
static uv_read_cb serve;
static void (*accepted_one)(void);
static char slab[65536];

static void give_slab(uv_handle_t* handle, size_t size, uv_buf_t* buffer) {
  (void) handle;
  (void) size;
  *buffer = uv_buf_init(slab, sizeof slab);
}

static void close_one(uv_tcp_t* handle) {
  if (!uv_is_closing((uv_handle_t*) handle))
    uv_close((uv_handle_t*) handle, NULL);
}

static void close_everything(void) {
  uint64_t i;
  close_one(&server);
  for (i = 0; i < params->width; i++) {
    close_one(&clients[i]);
    close_one(&accepted[i]);
  }
}

static void accept_one(uv_stream_t* listener, int status) {
  uv_tcp_t* stream = &accepted[accepted_count];
  MUST(status);
  EXPECT(accepted_count < params->width);
  MUST(uv_tcp_init(&loop, stream));
  MUST(uv_accept(listener, (uv_stream_t*) stream));
  MUST(uv_read_start((uv_stream_t*) stream, give_slab, serve));
  accepted_count++;
  if (accepted_one != NULL)
    accepted_one();
}

/* Listens, connects `width` clients and runs the loop to its end; `on_connect` starts the measurement. */
static void run_with(const bench_params* given, bench_measure* out, uv_read_cb on_read, uv_connect_cb on_connect) {
  struct sockaddr_in address;
  uint64_t i;
  params = given;
  measure = out;
  serve = on_read;
  EXPECT(params->width <= MAX_CONNECTIONS);
  MUST(uv_loop_init(&loop));
  MUST(uv_tcp_init(&loop, &server));
  address = bench_bind(&server);
  MUST(uv_listen((uv_stream_t*) &server, MAX_CONNECTIONS, accept_one));
  for (i = 0; i < params->width; i++) {
    MUST(uv_tcp_init(&loop, &clients[i]));
    MUST(uv_tcp_connect(&connects[i], &clients[i], (const struct sockaddr*) &address, on_connect));
  }
  MUST(uv_run(&loop, UV_RUN_DEFAULT));
}

/* ping_pongs */

static char ping[PING_BYTES];
static uint64_t pongs;
static uint64_t pong_bytes;

static void free_write(uv_write_t* request, int status) {
  if (status != UV_ECANCELED)
    MUST(status);
  free(request);
}

static void write_ping_bytes(uv_stream_t* stream, size_t length) {
  uv_buf_t buffer = uv_buf_init(ping, (unsigned) length);
  uv_write_t* request = bench_alloc(1, sizeof *request);
  MUST(uv_write(request, stream, &buffer, 1, free_write));
}

static void echo(uv_stream_t* stream, ssize_t length, const uv_buf_t* buffer) {
  (void) buffer;
  MUST(length);
  EXPECT(length <= PING_BYTES);
  write_ping_bytes(stream, (size_t) length);
}

static void take_pong(uv_stream_t* stream, ssize_t length, const uv_buf_t* buffer) {
  (void) buffer;
  MUST(length);
  pong_bytes += (uint64_t) length;
  if (pong_bytes < PING_BYTES)
    return;
  pong_bytes -= PING_BYTES;
  if (++pongs < params->count) {
    write_ping_bytes(stream, PING_BYTES);
  } else {
    bench_end(measure, pongs);
    close_everything();
  }
}

static void ping_connected(uv_connect_t* request, int status) {
  MUST(status);
  MUST(uv_read_start(request->handle, give_slab, take_pong));
  bench_begin(measure);
  write_ping_bytes(request->handle, PING_BYTES);
}

void bench_ping_pongs(const bench_params* given, bench_measure* out) {
  run_with(given, out, echo, ping_connected);
  EXPECT(pongs == given->count);
}

/* tcp_write_batch */

static uv_write_t* batch;
static uv_shutdown_t shutdown_request;
static uint64_t written;

static void drop_until_end(uv_stream_t* stream, ssize_t length, const uv_buf_t* buffer) {
  (void) stream;
  (void) buffer;
  if (length == UV_EOF)
    close_everything();
  else
    MUST(length);
}

static void count_written(uv_write_t* request, int status) {
  (void) request;
  MUST(status);
  written++;
}

static void batch_ended(uv_shutdown_t* request, int status) {
  MUST(status);
  bench_end(measure, written);
  close_one((uv_tcp_t*) request->handle);
}

static void batch_connected(uv_connect_t* request, int status) {
  static char hello[] = "Hello, world.";
  uv_buf_t buffer = uv_buf_init(hello, sizeof hello - 1);
  uint64_t i;
  MUST(status);
  bench_begin(measure);
  for (i = 0; i < params->count; i++)
    MUST(uv_write(&batch[i], request->handle, &buffer, 1, count_written));
  MUST(uv_shutdown(&shutdown_request, request->handle, batch_ended));
}

void bench_tcp_write_batch(const bench_params* given, bench_measure* out) {
  batch = bench_alloc(given->count, sizeof *batch);
  run_with(given, out, drop_until_end, batch_connected);
  EXPECT(written == given->count);
}

/* tcp_pump */

static char pump_bytes[PUMP_WRITE_BYTES];
static uv_write_t pump_writes[MAX_CONNECTIONS];
static uint64_t received;

static void pump_more(uv_write_t* request, int status) {
  uv_buf_t buffer = uv_buf_init(pump_bytes, sizeof pump_bytes);
  if (received >= params->count)
    return;
  MUST(status);
  MUST(uv_write(request, request->handle, &buffer, 1, pump_more));
}

static void take_pumped(uv_stream_t* stream, ssize_t length, const uv_buf_t* buffer) {
  (void) stream;
  (void) buffer;
  MUST(length);
  if (received >= params->count)
    return;
  received += (uint64_t) length;
  if (received >= params->count) {
    bench_end(measure, received);
    close_everything();
  }
}

/* Starts only when both ends of every connection exist: otherwise the first bytes would race with the last accepts. */
static void pump_if_all_are_there(void) {
  uint64_t i;
  if (connected_count < params->width || accepted_count < params->width)
    return;
  bench_begin(measure);
  for (i = 0; i < params->width; i++) {
    pump_writes[i].handle = (uv_stream_t*) &clients[i];
    pump_more(&pump_writes[i], 0);
  }
}

static void pump_connected(uv_connect_t* request, int status) {
  (void) request;
  MUST(status);
  connected_count++;
  pump_if_all_are_there();
}

void bench_tcp_pump(const bench_params* given, bench_measure* out) {
  accepted_one = pump_if_all_are_there;
  run_with(given, out, take_pumped, pump_connected);
  EXPECT(received >= given->count);
}
