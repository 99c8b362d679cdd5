/* Functions on descriptors that do not belong to a handle. */
#include "common.h"

static void guess(const char* name, int fd) {
  printf(" %s %d", name, uv_guess_handle(fd));
  if (fd >= 0)
    close(fd);
}

static void show(const char* name, int status, int* fds) {
  printf("%s %d", name, status);
  for (int i = 0; status == 0 && i < 2; i++) {
    printf(" %x %x %d", fcntl(fds[i], F_GETFL), fcntl(fds[i], F_GETFD), uv_guess_handle(fds[i]));
    close(fds[i]);
  }
  printf("\n");
}

int main(void) {
  printf("guess %d %d %d", uv_guess_handle(-1), uv_guess_handle(9999), uv_guess_handle(-2147483647 - 1));
  guess("null", open("/dev/null", O_RDONLY));
  guess("folder", open("/", O_RDONLY));
  guess("path", open("/", O_PATH));
  guess("terminal", posix_openpt(O_RDWR | O_NOCTTY));
  guess("unix datagrams", socket(AF_UNIX, SOCK_DGRAM, 0));
  guess("unix packets", socket(AF_UNIX, SOCK_SEQPACKET, 0));
  guess("udp", socket(AF_INET, SOCK_DGRAM, 0));
  guess("udp6", socket(AF_INET6, SOCK_DGRAM, 0));
  guess("tcp", socket(AF_INET, SOCK_STREAM, 0));
  guess("tcp6", socket(AF_INET6, SOCK_STREAM, 0));
  guess("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
  printf("\n");

  int fds[2] = {-7, -7};
  for (int i = 0; i < 4; i++) {
    int one = i & 1 ? UV_NONBLOCK_PIPE : 0, other = i & 2 ? UV_NONBLOCK_PIPE : 0;
    show("pipe", uv_pipe(fds, one, other), fds);
    show("streams", uv_socketpair(SOCK_STREAM, 0, fds, one, other), fds);
    show("datagrams", uv_socketpair(SOCK_DGRAM, 0, fds, one, other), fds);
    show("nonblocking", uv_socketpair(SOCK_STREAM | SOCK_NONBLOCK, 0, fds, one, other), fds);
  }
  show("protocol", uv_socketpair(SOCK_STREAM, 1, fds, 0, 0), fds);
  fds[0] = fds[1] = -7;
  printf("odd %d %d %d %d %d", uv_socketpair(99, 0, fds, 0, 0), uv_socketpair(SOCK_STREAM, 99, fds, 0, 0),
         uv_socketpair(-1, 0, fds, 0, 0), uv_socketpair(SOCK_STREAM, -1, fds, 0, 0), uv_socketpair(0, 0, fds, 0, 0));
  printf(" %d %d\n", fds[0], fds[1]);

  uv_buf_t buffer = uv_buf_init((char*) 5, 4000000000u);
  printf("buffer %p %zu\n", buffer.base, buffer.len);
  printf("handles %d %d\n", uv_get_osfhandle(-3), uv_open_osfhandle(77));
  int kept = fcntl(0, F_DUPFD, 40), flags = fcntl(kept, F_GETFD);
  for (int fd = 16; fd < 40; fd++)
    fcntl(0, F_DUPFD, fd);
  uv_disable_stdio_inheritance();
  printf("inherited %d %d %d\n", flags, fcntl(kept, F_GETFD), fcntl(1, F_GETFD));
  return 0;
}
