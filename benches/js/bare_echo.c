// An echo server with only the system calls that `echo.js` needs: epoll_wait, read, write per message. It is the upper bound for
// servers that make system calls for each message.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int count, char **words) {
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    address.sin_port = htons(count > 1 ? atoi(words[1]) : 9102);
    int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), poller = epoll_create1(0), yes = 1;
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    struct epoll_event wanted = { EPOLLIN, { .fd = server } };
    if (bind(server, (struct sockaddr *)&address, sizeof address) || listen(server, 511) ||
        epoll_ctl(poller, EPOLL_CTL_ADD, server, &wanted)) {
        perror("cannot listen");
        return 1;
    }
    fprintf(stderr, "up\n");
    for (;;) {
        static char bytes[65536];
        struct epoll_event ready[1024];
        int events = epoll_wait(poller, ready, 1024, -1);
        for (int at = 0; at < events; at++) {
            int socket = ready[at].data.fd;
            if (socket == server) {
                wanted.data.fd = accept4(server, NULL, NULL, SOCK_NONBLOCK);
                if (wanted.data.fd >= 0) epoll_ctl(poller, EPOLL_CTL_ADD, wanted.data.fd, &wanted);
                continue;
            }
            ssize_t length = read(socket, bytes, sizeof bytes);
            if (length <= 0 || write(socket, bytes, length) != length) close(socket);
        }
    }
}
