/* Conversions of IP addresses from and to text, and the network interfaces. */
#include "common.h"

#include <arpa/inet.h>

static void ask(const char* text) {
  unsigned char bytes[16];
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  memset(bytes, 0xee, sizeof(bytes));
  printf("%s: %d ", text, uv_inet_pton(AF_INET, text, bytes));
  hex(bytes, 4);
  memset(bytes, 0xee, sizeof(bytes));
  printf(" %d ", uv_inet_pton(AF_INET6, text, bytes));
  hex(bytes, 16);
  memset(&v4, 0xee, sizeof(v4));
  printf(" %d ", uv_ip4_addr(text, 70000, &v4));
  hex(&v4, sizeof(v4));
  memset(&v6, 0xee, sizeof(v6));
  printf(" %d ", uv_ip6_addr(text, -1, &v6));
  hex(&v6, sizeof(v6));
  printf("\n");
}

static void ask_if_good(const char* text) {
  unsigned char bytes[16];
  if (uv_inet_pton(AF_INET, text, bytes) == 0 || uv_inet_pton(AF_INET6, text, bytes) == 0)
    ask(text);
}

static void parse(void) {
  static const char* const texts[] = {
    "", "0", "1.2.3.4", "01.2.3.4", "1.2.3.04", "00.0.0.0", "0.0.0.0", "255.255.255.255", "256.1.1.1", "1.2.3", "1.2.3.4.",
    "1.2.3.4.5", ".1.2.3", "1..2.3", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4%lo", "::", "::1", "1::", "::1.2.3.4",
    "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::2:3:4:5:6:7:8",
    "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5::1.2.3.4", "1:2:3:4:5:6::1.2.3.4", "1.2.3.4::", ":::",
    "1:::2", "::1:", ":1::2", "12345::", "::g", "fe80::1%lo", "fe80::1%", "fe80::1%nosuch", "%lo", "fe80::1%lo%lo",
    "::1.2.3.4%lo", "::1.2.3.256", "::01.2.3.4", "0000:0000:0000:0000:0000:0000:255.255.255.255",
    "0000:0000:0000:0000:0000:0000:255.255.255.255%lo", "0000:0000:0000:0000:0000:0000:255.255.255.255xxxx%lo",
    "ABCD:ef01::FfFf", "::1/64", "[::1]", "1:2", "1:", "::\xff", "\xc3\xa9::",
  };
  static const char letters[] = "0123456789abcdefABCDEFg:::::....%";
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
    ask(texts[i]);
  for (int i = 0; i < 100000; i++) {
    char text[32];
    int length = 1 + next_random(24);
    for (int k = 0; k < length; k++)
      text[k] = letters[next_random(sizeof(letters) - 1)];
    text[length] = 0;
    ask_if_good(text);
  }
  for (int i = 0; i < 20000; i++) {
    char text[100] = "", part[20];
    int parts = 1 + next_random(9), gap = next_random(10);
    for (int k = 0; k < parts; k++) {
      strcat(text, k == gap ? "::" : k > 0 ? ":" : "");
      if (k == parts - 1 && next_random(3) == 0)
        sprintf(part, "%u.%u.%u.%u", next_random(300), next_random(3), next_random(300), next_random(30));
      else
        sprintf(part, "%x", next_random(next_random(2) ? 16 : 70000));
      strcat(text, part);
    }
    if (next_random(8) == 0)
      strcat(text, "::");
    ask_if_good(text);
  }
  unsigned char bytes[16];
  struct sockaddr_in v4;
  printf("nulls %d %d %d\n", uv_inet_pton(AF_INET, NULL, bytes), uv_inet_pton(AF_INET6, "::", NULL), uv_ip4_addr(NULL, 1, &v4));
  printf("families %d\n", uv_inet_pton(99, "::", bytes));
}

static void print(void) {
  char text[64];
  for (int i = 0; i < 20000; i++) {
    unsigned char bytes[16];
    unsigned zeros = 2 + next_random(3);
    for (int k = 0; k < 16; k++)
      bytes[k] = next_random(zeros) ? 0 : next_random(5) ? next_random(256) : 255;
    if (next_random(20) == 0)
      memset(bytes, 0, 10), bytes[10] = bytes[11] = 255;
    if (next_random(20) == 0)
      memset(bytes, 0, 12 + next_random(4));
    size_t room = next_random(4) ? 50 : next_random(50);
    memset(text, 'x', sizeof(text));
    int status = uv_inet_ntop(AF_INET6, bytes, text, room);
    hex(bytes, 16);
    printf(" %zu %d %s\n", room, status, status ? "" : text);
  }
  for (size_t room = 0; room < 20; room++) {
    static const unsigned char bytes[4] = {1, 22, 255, 0};
    int status = uv_inet_ntop(AF_INET, bytes, text, room);
    printf("%zu %d %s\n", room, status, status ? "" : text);
  }
  struct sockaddr none = {0};
  struct sockaddr_in6 v6;
  printf("families %d %d\n", uv_inet_ntop(99, text, text, 10), uv_ip_name(&none, text, sizeof(text)));
  printf("names %d", uv_ip6_addr("fe80::2%lo", 5, &v6));
  printf(" %d", uv_ip_name((struct sockaddr*) &v6, text, sizeof(text)));
  printf(" %s %d\n", text, uv_ip6_name(&v6, text, 7));
}

static void interfaces(void) {
  uv_interface_address_t* list;
  int count;
  printf("interfaces %d", uv_interface_addresses(&list, &count));
  printf(" %d\n", count);
  for (int i = 0; i < count; i++) {
    printf("%s ", list[i].name);
    hex(list[i].phys_addr, 6);
    printf(" %d ", list[i].is_internal);
    hex(&list[i].address, sizeof(list[i].address));
    printf(" ");
    hex(&list[i].netmask, sizeof(list[i].netmask));
    printf("\n");
  }
  uv_free_interface_addresses(list, count);
  uv_free_interface_addresses(NULL, 0);
}

int main(void) {
  parse();
  print();
  interfaces();
  return 0;
}
