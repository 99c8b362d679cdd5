/* The pool in a child of fork, whatever the parent's threads were doing at that moment: each round runs in its own process, whose
 * pool threads have just started. */
#include "common.h"
#include <sys/wait.h>

enum { ROUNDS = 200, SECONDS = 20 };

static void work(uv_work_t* req) { req->data = &work; }
static void worked(uv_work_t* req, int status) {
  if (status != 0 || req->data == NULL)
    _exit(2);
}

static void run_work(uv_loop_t* loop) {
  uv_work_t req = {0};
  uv_queue_work(loop, &req, work, worked);
  if (uv_run(loop, UV_RUN_DEFAULT) != 0)
    _exit(3);
}

static int wait_for(pid_t child) {
  int status;
  waitpid(child, &status, 0);
  return status;
}

static void child(void) {
  uv_loop_t loop;
  alarm(SECONDS);
  uv_loop_init(&loop);
  run_work(&loop);
  run_work(&loop);
  if (uv_loop_close(&loop) != 0 || uv_loop_fork(uv_default_loop()) != 0)
    _exit(4);
  run_work(uv_default_loop());
  _exit(0);
}

static void parent(void) {
  alarm(SECONDS);
  run_work(uv_default_loop());
  pid_t pid = fork();
  if (pid == 0)
    child();
  run_work(uv_default_loop());
  int status = wait_for(pid);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status));
}

int main(void) {
  for (int round = 0; round < ROUNDS; round++) {
    pid_t pid = fork();
    if (pid == 0)
      parent();
    int status = wait_for(pid);
    if (status != 0) {
      printf("round %d: %x\n", round, status);
      return 1;
    }
  }
  printf("%d rounds\n", ROUNDS);
  return 0;
}
