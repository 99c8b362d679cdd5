/* Name resolution and random bytes without a network: arguments that are invalid, or numeric addresses. */
#include "common.h"
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

static void show(int status, struct addrinfo* list) {
  printf(" %d", status);
  for (; list != NULL; list = list->ai_next) {
    printf(" [%x %d %d %d %s ", list->ai_flags, list->ai_family, list->ai_socktype, list->ai_protocol,
           list->ai_canonname == NULL ? "-" : list->ai_canonname);
    hex(list->ai_addr, (int) list->ai_addrlen);
    printf("]");
  }
  printf("\n");
}

static void found(uv_getaddrinfo_t* req, int status, struct addrinfo* list) {
  printf("  called, %d %d:", req->retcode == status, req->addrinfo == list);
  show(status, list);
  uv_freeaddrinfo(list);
}

static void named(uv_getnameinfo_t* req, int status, const char* host, const char* service) {
  printf("  called %d %d: %s %s, inside %d %d\n", status, req->retcode, host ? host : "-", service ? service : "-",
         host == req->host, service == req->service);
}

static void filled(uv_random_t* req, int status, void* bytes, size_t count) {
  printf("  called %d %zu %d\n", status, count, bytes == req->buf);
}

static void look_up(const char* host, const char* service, const struct addrinfo* hints) {
  uv_getaddrinfo_t req;
  memset(&req, 0x5a, sizeof(req));
  int status = uv_getaddrinfo(NULL, &req, NULL, host, service, hints);
  printf("%.20s %s at once:", host == NULL ? "(null)" : host, service == NULL ? "(null)" : service);
  show(status, status == 0 ? req.addrinfo : NULL);
  if (status == 0)
    uv_freeaddrinfo(req.addrinfo);
  printf("  begun %d\n", uv_getaddrinfo(uv_default_loop(), &req, found, host, service, hints));
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  uv_getaddrinfo_t req;
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_CANONNAME};
  printf("nulls %d %d %d\n", uv_getaddrinfo(loop, NULL, found, "x", NULL, NULL),
         uv_getaddrinfo(loop, &req, found, NULL, NULL, NULL), uv_getaddrinfo(NULL, &req, found, "x", NULL, NULL));
  static char longest[400];
  memset(longest, 'a', sizeof(longest) - 1);
  const char* hosts[] = {"127.0.0.1", "", "1.2.3", "::1", "\xff", "x\xc3\xa9.\xe3\x80\x82", "a..b", "\xc3\xa9", longest,
                         longest + 145, longest + 144, longest + 143};
  for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
    look_up(hosts[i], "80", &hints);
    look_up(hosts[i], NULL, &hints);
  }
  look_up(NULL, "80", &hints);
  look_up("127.0.0.1", "80", NULL);
  look_up(NULL, "80", NULL);
  hints.ai_flags = AI_NUMERICHOST;
  look_up("127.0.0.1", "nosuchservice", &hints);
  look_up("127.0.0.1", "99999", &hints);
  hints.ai_flags = 0x40000000;
  look_up("127.0.0.1", NULL, &hints);
  hints.ai_flags = AI_NUMERICHOST, hints.ai_family = 12345;
  look_up("127.0.0.1", NULL, &hints);
  hints.ai_family = 0, hints.ai_socktype = 99;
  look_up("127.0.0.1", "80", &hints);
  uv_freeaddrinfo(NULL);

  uv_getnameinfo_t names;
  struct sockaddr_in four;
  struct sockaddr_in6 six;
  struct sockaddr_un local = {.sun_family = AF_UNIX};
  uv_ip4_addr("127.0.0.1", 80, &four);
  uv_ip6_addr("fe80::1%1", 65535, &six);
  printf("nulls %d %d %d\n", uv_getnameinfo(loop, NULL, named, (void*) &four, 0),
         uv_getnameinfo(loop, &names, named, NULL, 0), uv_getnameinfo(loop, &names, named, (void*) &local, 0));
  for (int flags = 0; flags < 64; flags++) {
    int status = uv_getnameinfo(loop, &names, NULL, (void*) &four, NI_NUMERICHOST | flags);
    printf("names %x %d", flags, status);
    printf(status == 0 ? " %s %s\n" : "\n", names.host, names.service);
    uv_getnameinfo(loop, &names, named, (void*) &six, NI_NUMERICHOST | flags);
    uv_run(loop, UV_RUN_DEFAULT);
  }
  uv_getnameinfo(loop, &names, named, (void*) &four, 0x40000000);
  uv_run(loop, UV_RUN_DEFAULT);

  char bytes[300];
  printf("random %d %d %d", uv_random(NULL, NULL, bytes, 0x80000000u, 0, NULL),
         uv_random(NULL, NULL, bytes, (size_t) -1, 1, NULL), uv_random(NULL, NULL, bytes, 1, 1, NULL));
  printf(" %d %d %d\n", uv_random(NULL, NULL, NULL, 0, 0, NULL), uv_random(NULL, NULL, bytes, sizeof(bytes), 0, NULL),
         uv_random(NULL, NULL, NULL, 5, 0, NULL));
  uv_random_t random;
  size_t sizes[] = {0, 1, 256, 257, 300};
  for (int i = 0; i < 5; i++) {
    uv_random(loop, &random, bytes, sizes[i], 0, filled);
    uv_run(loop, UV_RUN_DEFAULT);
  }
  uv_random(loop, &random, NULL, 9, 0, filled);
  uv_run(loop, UV_RUN_DEFAULT);
  printf("too late %d", uv_cancel((uv_req_t*) &random));
  printf(" closed %d\n", uv_loop_close(loop));
  return 0;
}
