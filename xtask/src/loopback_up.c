/* Brings up the loopback interface of a new network namespace, which neither the shell nor util-linux can do. `cargo xtask`
 * compiles it into the folder of a sandbox and runs it first in each namespace. */
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int main(void) {
  struct ifreq request;
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  memset(&request, 0, sizeof(request));
  strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (descriptor < 0 || ioctl(descriptor, SIOCSIFFLAGS, &request) != 0) {
    perror("cannot bring up the loopback interface");
    return 1;
  }
  return 0;
}
