/* A program whose recording `recording.rs` checks. It declares what it uses of libuv itself, so that it needs no headers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include <netinet/in.h>

typedef struct uv_loop_s uv_loop_t;
typedef void callback(void *);
typedef void callback_status(void *, int);

extern uv_loop_t *uv_default_loop(void);
extern int uv_run(uv_loop_t *, int), uv_loop_close(uv_loop_t *), uv_loop_fork(uv_loop_t *), uv_loop_init(uv_loop_t *);
extern size_t uv_handle_size(int), uv_req_size(int), uv_loop_size(void);
extern int uv_timer_init(uv_loop_t *, void *), uv_timer_start(void *, callback *, unsigned long, unsigned long);
extern int uv_timer_stop(void *), uv_idle_init(uv_loop_t *, void *), uv_idle_start(void *, callback *);
extern int uv_check_init(uv_loop_t *, void *), uv_check_start(void *, callback *);
extern int uv_async_init(uv_loop_t *, void *, callback *), uv_async_send(void *);
extern void uv_close(void *, callback *);
extern int uv_queue_work(uv_loop_t *, void *, callback *, callback_status *);
extern int uv_fs_stat(uv_loop_t *, void *, const char *, callback *);
extern void uv_fs_req_cleanup(void *);
extern int uv_tcp_init(uv_loop_t *, void *), uv_tcp_bind(void *, const struct sockaddr *, unsigned);
extern int uv_listen(void *, int, callback_status *), uv_accept(void *, void *);
extern int uv_tcp_connect(void *, void *, const struct sockaddr *, callback_status *);
extern int uv_tcp_getsockname(void *, struct sockaddr *, int *);
typedef struct { char *base; size_t len; } uv_buf_t;
extern int uv_read_start(void *, void (*)(void *, size_t, uv_buf_t *), void (*)(void *, ssize_t, const uv_buf_t *));
extern int uv_write(void *, void *, const uv_buf_t *, unsigned, callback_status *);

enum { ASYNC = 1, CHECK = 2, IDLE = 6, TIMER = 13, TCP = 12, CONNECT = 2, WRITE = 3, FS = 6, WORK = 7 };

static uv_loop_t *loop;
static void *idle, *check, *repeating, *server, *client, *accepted, *wake;
static int repeats, checks;
static char room[100];

static void on_closed(void *handle) { free(handle); }

static void on_once(void *timer) {
    void *request = malloc(uv_req_size(FS));
    uv_fs_stat(loop, request, "/", NULL);
    uv_fs_req_cleanup(request);
    free(request);
    uv_close(timer, on_closed);
    uv_async_send(wake);
}

static void on_repeat(void *timer) {
    if (++repeats == 3)
        uv_close(timer, on_closed);
}

static void on_idle(void *handle) { uv_close(handle, on_closed); }

static void on_check(void *handle) {
    if (++checks == 2)
        uv_close(handle, on_closed);
}

static void on_wake(void *handle) { uv_close(handle, on_closed); }

static void work(void *request) { (void)request; }

static void after_work(void *request, int status) {
    (void)status;
    free(request);
}

static void on_stat(void *request) {
    uv_fs_req_cleanup(request);
    free(request);
}

static void alloc(void *handle, size_t size, uv_buf_t *buf) {
    (void)handle, (void)size;
    buf->base = room;
    buf->len = sizeof room;
}

static void on_read(void *stream, ssize_t count, const uv_buf_t *buf) {
    (void)buf;
    if (count < 0)
        uv_close(stream, on_closed);
}

static void on_written(void *request, int status) {
    (void)status;
    free(request);
    uv_close(client, on_closed);
}

static void on_connection(void *listening, int status) {
    (void)status;
    accepted = malloc(uv_handle_size(TCP));
    uv_tcp_init(loop, accepted);
    uv_accept(listening, accepted);
    uv_read_start(accepted, alloc, on_read);
    uv_close(listening, on_closed);
}

static void on_connected(void *request, int status) {
    (void)status;
    uv_buf_t buf = {"hello", 5};
    free(request);
    uv_write(malloc(uv_req_size(WRITE)), client, &buf, 1, on_written);
}

static void start_timers(void) {
    void *once = malloc(uv_handle_size(TIMER));
    uv_timer_init(loop, once);
    uv_timer_start(once, on_once, 1, 0);
    repeating = malloc(uv_handle_size(TIMER));
    uv_timer_init(loop, repeating);
    uv_timer_start(repeating, on_repeat, 1, 1);
}

static void start_watchers(void) {
    uv_idle_init(loop, idle = malloc(uv_handle_size(IDLE)));
    uv_idle_start(idle, on_idle);
    uv_check_init(loop, check = malloc(uv_handle_size(CHECK)));
    uv_check_start(check, on_check);
    uv_async_init(loop, wake = malloc(uv_handle_size(ASYNC)), on_wake);
}

static void start_tasks(void) {
    for (int number = 0; number < 2; number++)
        uv_queue_work(loop, malloc(uv_req_size(WORK)), work, after_work);
    uv_fs_stat(loop, malloc(uv_req_size(FS)), "/", on_stat);
}

static void start_connection(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int length = sizeof address;
    uv_tcp_init(loop, server = malloc(uv_handle_size(TCP)));
    uv_tcp_bind(server, (struct sockaddr *)&address, 0);
    uv_listen(server, 5, on_connection);
    uv_tcp_getsockname(server, (struct sockaddr *)&address, &length);
    uv_tcp_init(loop, client = malloc(uv_handle_size(TCP)));
    uv_tcp_connect(malloc(uv_req_size(CONNECT)), client, (struct sockaddr *)&address, on_connected);
}

static void on_exit_timer(void *timer) {
    (void)timer;
    exit(3);
}

static void start_timer(callback *function) {
    void *timer = malloc(uv_handle_size(TIMER));
    uv_timer_init(loop, timer);
    uv_timer_start(timer, function, 1, 0);
}

static void on_child_timer(void *timer) { uv_close(timer, on_closed); }

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    loop = uv_default_loop();
    if (strcmp(how, "exit") == 0) {
        start_timer(on_exit_timer);
        uv_run(loop, 0);
    } else if (strcmp(how, "fork") == 0) {
        start_timer(on_child_timer);
        if (fork() == 0) {
            uv_loop_fork(loop);
            uv_run(loop, 0);
            exit(uv_loop_close(loop));
        }
        uv_run(loop, 0);
        int status;
        wait(&status);
        return uv_loop_close(loop) || status;
    } else if (strcmp(how, "kill") == 0) {
        start_timer(on_child_timer);
        uv_run(loop, 0);
        puts("ran");
        fflush(stdout);
        pause();
    } else {
        start_timers();
        start_watchers();
        start_tasks();
        start_connection();
        uv_run(loop, 0);
        return uv_loop_close(loop);
    }
    return 0;
}
