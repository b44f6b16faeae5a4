// The practical limit of a machine: one thread, one epoll, and one fixed answer to every blank line. It parses nothing,
// so no real server can beat it by much; what a server costs is told against this.
//
// Build: cc -O2 -o limit limit.c      Run: limit PORT
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READY = 512, BUFFER = 65536 };

static const char answer[] =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 25\r\n"
    "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n{\"ok\":true,\"msg\":\"hello\"}";

static void watch(int poll, int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
}

static void welcome(int poll, int listener) {
    int fd, yes = 1;
    while ((fd = accept4(listener, 0, 0, SOCK_NONBLOCK)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        watch(poll, fd);
    }
}

// Requests come whole and answers fit the socket's buffer: true for the small ones this is measured with.
static void serve(int fd) {
    static char in[BUFFER], out[BUFFER];
    ssize_t got = read(fd, in, sizeof in);
    if (got <= 0) {
        if (got == 0 || errno != EAGAIN) close(fd);
        return;
    }
    size_t length = 0;
    for (ssize_t at = 3; at < got; at++)
        if (in[at] == '\n' && in[at - 1] == '\r' && in[at - 2] == '\n' && length + sizeof answer < sizeof out) {
            memcpy(out + length, answer, sizeof answer - 1);
            length += sizeof answer - 1;
        }
    if (length && write(fd, out, length) < 0 && errno != EAGAIN) close(fd);
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: limit PORT\n"), 2;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (void *)&address, sizeof address) || listen(listener, 16384)) return perror("limit"), 2;
    int poll = epoll_create1(0);
    watch(poll, listener);
    for (struct epoll_event ready[READY];;) {
        int count = epoll_wait(poll, ready, READY, -1);
        for (int at = 0; at < count; at++)
            if (ready[at].data.fd == listener)
                welcome(poll, listener);
            else
                serve(ready[at].data.fd);
    }
}
