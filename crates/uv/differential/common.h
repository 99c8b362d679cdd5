/* Common functions of the programs. */
#include <uv.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A pseudo-random sequence, the same in every run. */
static unsigned random_state = 12345;

static unsigned next_random(unsigned below) {
  random_state = random_state * 1103515245u + 12345u;
  return (random_state >> 8) % below;
}

static void hex(const void* bytes, int count) {
  for (int i = 0; i < count; i++)
    printf("%02x", ((const unsigned char*) bytes)[i]);
}

/* Calls a function that returns a text, with NULL pointers, a size of 0, and growing buffers. */
static void ask_text(const char* name, int (*ask)(char*, size_t*)) {
  static const size_t rooms[] = {1, 2, 3, 4, 5, 8, 12, 16, 100, 5000};
  static char buffer[5000];
  size_t size = 5;
  printf("%s: nulls %d %d", name, ask(NULL, NULL), ask(NULL, &size));
  printf(" %d", ask(buffer, NULL));
  size = 0;
  printf(" no room %d\n", ask(buffer, &size));
  for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++) {
    memset(buffer, 'x', sizeof(buffer));
    size = rooms[i];
    int status = ask(buffer, &size);
    printf("  %zu: %d %zu", rooms[i], status, size);
    if (status == 0)
      printf(" [%s] %d", buffer, buffer[size]);
    printf("\n");
  }
}
