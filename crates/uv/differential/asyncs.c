/* Async handles under load: threads send to all of them continuously while they are closed one after the other. */
#include "common.h"

#define THREADS 3
#define HANDLES 200

static uv_loop_t loop;
static uv_async_t asyncs[HANDLES];
static uv_thread_t threads[THREADS];
static int heard[HANDLES], opened, closed_count;
static volatile int over;

static void fire(void* arg) {
  (void) arg;
  while (!over)
    for (int i = 0; i < HANDLES; i++)
      uv_async_send(&asyncs[i]);
}

static void closed(uv_handle_t* handle) {
  (void) handle;
  if (++closed_count == HANDLES)
    over = 1;
}

static void on_async(uv_async_t* handle) {
  heard[handle - asyncs]++;
  uv_close((uv_handle_t*) handle, closed);
  uv_async_send(handle);
}

int main(void) {
  uv_loop_init(&loop);
  for (int i = 0; i < HANDLES; i++)
    opened += uv_async_init(&loop, &asyncs[i], on_async) == 0;
  for (int i = 0; i < THREADS; i++)
    uv_thread_create(&threads[i], fire, NULL);
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  for (int i = 0; i < THREADS; i++)
    uv_thread_join(&threads[i]);
  printf("opened %d closed %d\n", opened, closed_count);
  for (int i = 0; i < HANDLES; i++)
    printf("%d", heard[i]);
  printf("\nclose %d\n", uv_loop_close(&loop));
  return 0;
}
