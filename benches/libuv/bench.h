/* Common code of the libuv side: parameters, clocks and error handling.
 *
 * Each benchmark is a function that is called once per process, so it may use static variables and need not free memory.
 * The clocks and the idle clients are in the Rust side (src/measure.rs), so that both sides use the same ones. */
#ifndef PHASOR_BENCH_H
#define PHASOR_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uv.h"

/* Mirrors `Params` in src/registry.rs. */
typedef struct {
  uint64_t count;
  uint64_t width;
  uint64_t limit_ms;
} bench_params;

/* Mirrors `Measure` in src/registry.rs. */
typedef struct {
  uint64_t amount;
  uint64_t wall_ns;
  uint64_t cpu_ns;
} bench_measure;

/* From src/measure.rs. */
uint64_t bench_wall_ns(void);
uint64_t bench_cpu_ns(void);
uint64_t bench_resident_bytes(void);
int bench_connect(uint16_t port, uint64_t count);
uint64_t bench_random(uint64_t* state);

static inline void bench_begin(bench_measure* m) {
  m->cpu_ns = bench_cpu_ns();
  m->wall_ns = bench_wall_ns();
}

static inline void bench_end(bench_measure* m, uint64_t amount) {
  m->wall_ns = bench_wall_ns() - m->wall_ns;
  m->cpu_ns = bench_cpu_ns() - m->cpu_ns;
  m->amount = amount;
}

/* A benchmark that fails has no result: prints the failed call and exits. */
#define MUST(call)                                                               \
  do {                                                                           \
    int must_result = (int) (call);                                              \
    if (must_result < 0) {                                                       \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,              \
              uv_strerror(must_result));                                         \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

#define EXPECT(condition)                                                        \
  do {                                                                           \
    if (!(condition)) {                                                          \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

static inline void* bench_alloc(size_t count, size_t size) {
  void* memory = calloc(count, size);
  EXPECT(memory != NULL);
  return memory;
}

/* Binds `server` to a free loopback port and returns its address. */
static inline struct sockaddr_in bench_bind(uv_tcp_t* server) {
  struct sockaddr_in address;
  int length = sizeof address;
  MUST(uv_ip4_addr("127.0.0.1", 0, &address));
  MUST(uv_tcp_bind(server, (const struct sockaddr*) &address, 0));
  MUST(uv_tcp_getsockname(server, (struct sockaddr*) &address, &length));
  return address;
}

#endif
