/* Handlers of pthread_atfork run where uv_spawn forks: libuv 1.53 starts children by posix_spawn, which calls none, and forks only
 * for another user or group (src/unix/process.c: uv__spawn_set_posix_spawn_attrs). Until 1.51 it always forked on Linux.
 *
 * The handlers are registered as another object would register them. If an object imports both uv_spawn and pthread_atfork, ours
 * forks for every child, as libuv 1.51. */
#include "common.h"
#include <dlfcn.h>

static int prepared, parents;

static void on_prepare(void) { prepared++; }
static void on_parent(void) { parents++; }
static void on_child(void) { (void) !write(1, "child handler\n", 14); }

static void on_child_exit(uv_process_t* handle, int64_t status, int number) {
  printf("exit %d %d\n", (int) status, number);
  uv_close((uv_handle_t*) handle, NULL);
}

static void spawn(const char* name, const char* file, const char* cwd, unsigned flags) {
  uv_process_t process;
  uv_process_options_t options = { 0 };
  uv_stdio_container_t stdio[3] = { { .flags = UV_IGNORE }, { .flags = UV_INHERIT_FD, .data.fd = 1 }, { .flags = UV_IGNORE } };
  char* args[] = { "echo", "ran", NULL };
  int result;
  prepared = parents = 0;
  options.file = file;
  options.args = args;
  options.cwd = cwd;
  options.flags = flags;
  options.uid = getuid();
  options.gid = getgid();
  options.exit_cb = on_child_exit;
  options.stdio = stdio;
  options.stdio_count = 3;
  fflush(stdout);
  result = uv_spawn(uv_default_loop(), &process, &options);
  if (result != 0)
    uv_close((uv_handle_t*) &process, NULL);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  /* Not before the child has written. */
  printf("%s: %d, prepare %d, parent %d\n", name, result, prepared, parents);
}

static void register_handlers(void) {
  int (*add)(void (*)(void), void (*)(void), void (*)(void), void*) = dlsym(RTLD_DEFAULT, "__register_atfork");
  if (add == NULL || add(on_prepare, on_parent, on_child, NULL) != 0)
    abort();
}

int main(void) {
  /* As programs do: handlers that are there before the loop, and handlers that come later. */
  register_handlers();
  spawn("plain", "echo", NULL, 0);
  spawn("path", "/bin/echo", NULL, 0);
  spawn("working directory", "echo", "/", 0);
  spawn("detached", "echo", NULL, UV_PROCESS_DETACHED);
  spawn("no such program", "/nonexistent/echo", NULL, 0);
  spawn("no such working directory", "echo", "/nonexistent", 0);
  spawn("user", "echo", NULL, UV_PROCESS_SETUID);
  spawn("group", "echo", NULL, UV_PROCESS_SETGID);
  spawn("user and group", "echo", NULL, UV_PROCESS_SETUID | UV_PROCESS_SETGID);
  spawn("user, no such program", "/nonexistent/echo", NULL, UV_PROCESS_SETUID);
  register_handlers();
  spawn("later handlers", "echo", NULL, UV_PROCESS_SETUID);
  spawn("later handlers, plain", "echo", NULL, 0);
  return 0;
}
