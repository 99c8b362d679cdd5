/* SIGPIPE: the library does not change its disposition. */
#include "common.h"
#include <signal.h>
#include <sys/wait.h>

static uv_loop_t* loop;

static const char* disposition(void) {
  struct sigaction now;
  sigaction(SIGPIPE, NULL, &now);
  return now.sa_handler == SIG_DFL ? "default" : now.sa_handler == SIG_IGN ? "ignored" : "handled";
}

static void written(uv_write_t* req, int status) {
  printf("  written %d\n", status);
}

/* Writes to a pipe without a reader, in a child process. */
static void write_to_nobody(void) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    uv_loop_t own;
    uv_pipe_t pipe;
    uv_write_t req;
    uv_buf_t buf = uv_buf_init("x", 1);
    int fds[2];
    uv_loop_init(&own);
    uv_pipe(fds, 0, UV_NONBLOCK_PIPE);
    close(fds[0]);
    uv_pipe_init(&own, &pipe, 0);
    uv_pipe_open(&pipe, fds[1]);
    printf("  %s, write %d\n", disposition(), uv_write(&req, (uv_stream_t*) &pipe, &buf, 1, written));
    uv_run(&own, UV_RUN_DEFAULT);
    fflush(stdout);
    _exit(3);
  }
  int status;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    printf("  ended by %d\n", WTERMSIG(status));
  else
    printf("  ended with %d\n", WEXITSTATUS(status));
}

int main(void) {
  uv_pipe_t ends[2];
  uv_os_fd_t fds[2];
  loop = uv_default_loop();
  uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
  for (int i = 0; i < 2; i++) {
    uv_pipe_init(loop, &ends[i], 0);
    printf("open %d: %s\n", uv_pipe_open(&ends[i], fds[i]), disposition());
  }
  write_to_nobody();
  signal(SIGPIPE, SIG_IGN);
  write_to_nobody();
  for (int i = 0; i < 2; i++)
    uv_close((uv_handle_t*) &ends[i], NULL);
  uv_run(loop, UV_RUN_DEFAULT);
  printf("loop close %d: %s\n", uv_loop_close(loop), disposition());
  return 0;
}
