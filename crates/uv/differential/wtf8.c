/* Conversion between UTF-16 and WTF-8. The required size of a text that does not fit is not printed: libuv's is too large. */
#include "common.h"

static void there(const uint16_t* text, ssize_t length) {
  size_t size = 777, room = next_random(12);
  char *block = NULL, buffer[64], *lent = buffer;
  printf(" %zu %d", uv_utf16_length_as_wtf8(text, length), uv_utf16_to_wtf8(text, length, &block, &size));
  printf(" %zu ", size);
  hex(block, size + 1);
  memset(buffer, 'x', sizeof(buffer));
  size = room;
  int status = uv_utf16_to_wtf8(text, length, &lent, &size);
  printf(" %zu %d %zu ", room, status, status ? 0 : size);
  hex(buffer, room + 2);
  free(block);
}

static void back(const char* text) {
  uint16_t units[64];
  ssize_t length = uv_wtf8_length_as_utf16(text);
  printf(" %zd ", length);
  memset(units, 0x77, sizeof(units));
  if (length > 0) {
    uv_wtf8_to_utf16(text, units, length);
    hex(units, (length + 1) * sizeof(*units));
  }
}

int main(void) {
  uint16_t text[9];
  char bytes[9];
  for (int i = 0; i < 20000; i++) {
    int length = next_random(8);
    for (int k = 0; k < length; k++)
      switch (next_random(6)) {
        case 0: text[k] = next_random(128); break;
        case 1: text[k] = next_random(0x800); break;
        case 2: text[k] = 0xD800 + next_random(0x400); break;
        case 3: text[k] = 0xDC00 + next_random(0x400); break;
        case 4: text[k] = next_random(0x10000); break;
        default: text[k] = next_random(9) ? next_random(0x3000) : 0;
      }
    text[length] = 0;
    there(text, next_random(2) ? -1 : length);
    length = next_random(8);
    for (int k = 0; k < length; k++)
      bytes[k] = next_random(4) == 0 ? next_random(256) : next_random(3) ? 0x80 + next_random(0x40) : 0xC0 + next_random(0x40);
    bytes[length] = 0;
    back(bytes);
    printf("\n");
  }
  printf("nulls %d\n", uv_utf16_to_wtf8(text, 0, NULL, NULL));
  return 0;
}
