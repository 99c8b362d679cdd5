/* What a child handler of pthread_atfork changes is seen by the program that uv_spawn starts. libuv 1.53 runs the handlers where it
 * forks, which it does for a user id. The handler uses the loop, as uvloop's does before it calls Python's preexec_fn. */
#include "common.h"
#include <pthread.h>
#include <sys/stat.h>

static enum { NOTHING, UMASK, DIRECTORY, VARIABLE, SEARCH, NO_SEARCH, STDOUT, IGNORE_SIGNAL, SIGNAL_MASK, EXIT, LOOP } change;
static uv_timer_t timer;

static void in_child(void) {
  sigset_t signals;
  int result;
  switch (change) {
    case NOTHING: break;
    case UMASK: umask(0123); break;
    case DIRECTORY: (void) !chdir("/usr"); break;
    case VARIABLE: setenv("WORD", "changed", 1); break;
    case SEARCH: setenv("PATH", "/nonexistent:/usr/bin:/bin", 1); break;
    case NO_SEARCH: setenv("PATH", "/nonexistent", 1); break;
    case STDOUT: dup2(open("/dev/null", O_WRONLY), 1); break;
    case IGNORE_SIGNAL: signal(SIGTERM, SIG_IGN); break;
    case SIGNAL_MASK: sigemptyset(&signals); sigaddset(&signals, SIGTERM); sigprocmask(SIG_BLOCK, &signals, NULL); break;
    case EXIT: _exit(9);
    case LOOP:
      result = uv_loop_fork(uv_default_loop());
      dprintf(1, "uv_loop_fork: %d\n", result);
      dprintf(1, "alive: %d\n", uv_loop_alive(uv_default_loop()));
      dprintf(1, "timer: %d\n", uv_is_active((uv_handle_t*) &timer));
      dprintf(1, "run: %d\n", uv_run(uv_default_loop(), UV_RUN_DEFAULT));
      break;
  }
}

static void on_timer(uv_timer_t* handle) { dprintf(1, "timer fired\n"); }

static void on_child_exit(uv_process_t* handle, int64_t status, int number) {
  dprintf(1, "exit %d %d\n", (int) status, number);
  uv_close((uv_handle_t*) handle, NULL);
}

static void spawn(const char* name, int what, const char* script, char** env, const char* cwd) {
  uv_process_t process;
  uv_process_options_t options = { 0 };
  uv_stdio_container_t stdio[3] = { { .flags = UV_IGNORE }, { .flags = UV_INHERIT_FD, .data.fd = 1 }, { .flags = UV_IGNORE } };
  char* args[] = { "sh", "-c", (char*) script, NULL };
  int result;
  change = what;
  options.file = "sh";
  options.args = args;
  options.env = env;
  options.cwd = cwd;
  options.flags = UV_PROCESS_SETUID;
  options.uid = getuid();
  options.exit_cb = on_child_exit;
  options.stdio = stdio;
  options.stdio_count = 3;
  dprintf(1, "-- %s\n", name);
  result = uv_spawn(uv_default_loop(), &process, &options);
  /* The child has run the loop, and the timer in it. Here it would fire while the program writes. */
  uv_timer_stop(&timer);
  if (result != 0) {
    dprintf(1, "error %d\n", result);
    uv_close((uv_handle_t*) &process, NULL);
  }
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

int main(void) {
  char* env[] = { "WORD=given", "PATH=/usr/bin:/bin", NULL };
  setenv("WORD", "inherited", 1);
  pthread_atfork(NULL, NULL, in_child);
  uv_timer_init(uv_default_loop(), &timer);
  spawn("nothing", NOTHING, "umask; echo $WORD", NULL, NULL);
  spawn("umask", UMASK, "umask", NULL, NULL);
  spawn("directory", DIRECTORY, "pwd", NULL, NULL);
  spawn("directory, given", DIRECTORY, "pwd", NULL, "/");
  spawn("directory, given and relative", DIRECTORY, "pwd", NULL, "bin");
  spawn("variable", VARIABLE, "echo $WORD", NULL, NULL);
  spawn("variable, environment given", VARIABLE, "echo $WORD", env, NULL);
  spawn("path", SEARCH, "echo $PATH", NULL, NULL);
  spawn("path without the program", NO_SEARCH, "echo $PATH", NULL, NULL);
  spawn("path without the program, environment given", NO_SEARCH, "echo $PATH", env, NULL);
  spawn("standard output", STDOUT, "echo written", NULL, NULL);
  spawn("ignored signal", IGNORE_SIGNAL, "kill -TERM $$; echo ignored", NULL, NULL);
  spawn("blocked signal", SIGNAL_MASK, "kill -TERM $$; echo blocked", NULL, NULL);
  spawn("exit", EXIT, "echo started", NULL, NULL);
  uv_timer_start(&timer, on_timer, 1, 0);
  spawn("loop", LOOP, "echo started", NULL, NULL);
  return 0;
}
