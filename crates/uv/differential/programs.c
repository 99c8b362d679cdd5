/* Random programs: handles are opened, started, stopped, written to and closed in each other's callbacks, and the order of the
 * callbacks is printed. The memory of closed handles and finished requests is overwritten and freed at once.
 *
 * The programs avoid what libuv forbids (starting a closing handle) or leaves undefined, and what depends on more than the program: the
 * clock, the network, other threads. A number as first argument runs only that program. */
#include "common.h"
#include <signal.h>

enum kind { NONE, TIMER, IDLE, PREPARE, CHECK, ASYNC, SIGNAL, PIPE, FS_EVENT, KINDS };

static const char* const kinds[] = {"none", "timer", "idle", "prepare", "check", "async", "signal", "pipe", "folder"};

#define SLOTS 24

static struct slot {
  union uv_any_handle* handle;
  enum kind kind;
  int number;
  int closing;
  /* An async or signal that was sent and whose callback was not called yet: closing it now is a race in libuv. */
  int under_way;
} slots[SLOTS];

static uv_loop_t* loop;
static int numbers, requests, budget, in_asyncs;
static char folder[] = "programs-XXXXXX";

static void act(int times);

static struct slot* slot_of(const void* handle) {
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].handle == handle)
      return &slots[i];
  abort();
}

static struct slot* pick(int wanted) {
  int from = next_random(SLOTS);
  for (int i = 0; i < SLOTS; i++) {
    struct slot* slot = &slots[(from + i) % SLOTS];
    if ((slot->kind != NONE) == wanted)
      return slot;
  }
  return NULL;
}

static struct slot* take(enum kind kind) {
  struct slot* slot = pick(0);
  if (slot == NULL)
    return NULL;
  slot->handle = malloc(sizeof(*slot->handle));
  memset(slot->handle, 0x55, sizeof(*slot->handle));
  slot->kind = kind;
  slot->number = ++numbers;
  slot->closing = slot->under_way = 0;
  return slot;
}

static void say(const void* handle, const char* what, int status) {
  struct slot* slot = slot_of(handle);
  printf("%s %d %s %d, active %d\n", kinds[slot->kind], slot->number, what, status, uv_is_active(handle));
}

static void closed(uv_handle_t* handle) {
  struct slot* slot = slot_of(handle);
  say(handle, "closed", uv_has_ref(handle));
  memset(handle, 0xaa, sizeof(union uv_any_handle));
  free(handle);
  memset(slot, 0, sizeof(*slot));
  act(1);
}

static void on_timer(uv_timer_t* handle) { say(handle, "fires", uv_timer_get_due_in(handle) > 0); act(2); }
static void on_idle(uv_idle_t* handle) { say(handle, "runs", 0); act(1); }
static void on_prepare(uv_prepare_t* handle) { say(handle, "runs", 0); act(1); }
static void on_check(uv_check_t* handle) { say(handle, "runs", 0); act(1); }

static void on_async(uv_async_t* handle) {
  slot_of(handle)->under_way = 0;
  say(handle, "runs", 0);
  in_asyncs = 1;
  act(2);
  in_asyncs = 0;
}

static void on_signal(uv_signal_t* handle, int number) {
  slot_of(handle)->under_way = 0;
  say(handle, "is told", number);
  act(2);
}

static void on_change(uv_fs_event_t* handle, const char* name, int events, int status) {
  say(handle, name, events);
  act(1);
}

static void bring(uv_handle_t* handle, size_t suggested, uv_buf_t* buf) {
  size_t size = next_random(8) == 0 ? 0 : 1 + next_random(2000);
  *buf = uv_buf_init(size == 0 ? NULL : malloc(size), size);
}

static void on_read(uv_stream_t* handle, ssize_t count, const uv_buf_t* buf) {
  say(handle, "reads", (int) count);
  free(buf->base);
  act(2);
}

struct request {
  union {
    uv_write_t write;
    uv_shutdown_t shutdown;
  } is;
  int number;
  char bytes[4000];
};

static void over(struct request* req, uv_stream_t* handle, const char* what, int status) {
  int queued = handle->write_queue_size > 0;
  printf("%s %d on %d: %d, queued %d\n", what, req->number, slot_of(handle)->number, status, queued);
  memset(req, 0xaa, sizeof(*req));
  free(req);
  act(2);
}

static void on_write(uv_write_t* req, int status) { over((struct request*) req, req->handle, "written", status); }
static void on_shutdown(uv_shutdown_t* req, int status) { over((struct request*) req, req->handle, "shut", status); }

static struct request* make_request(void) {
  struct request* req = malloc(sizeof(*req));
  memset(req, 'x', sizeof(*req));
  req->number = ++requests;
  return req;
}

static void open_pipes(int sockets) {
  uv_os_fd_t fds[2];
  if (sockets)
    uv_socketpair(SOCK_STREAM, 0, fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
  else
    uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
  for (int i = 0; i < 2; i++) {
    struct slot* slot = take(PIPE);
    if (slot == NULL) {
      close(fds[i]);
      continue;
    }
    uv_pipe_init(loop, &slot->handle->pipe, 0);
    say(slot->handle, "opens", uv_pipe_open(&slot->handle->pipe, fds[i]));
  }
}

static int signal_taken(int number) {
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].kind == SIGNAL && slots[i].handle->signal.signum == number)
      return 1;
  return 0;
}

static uint64_t now_or_never(void) {
  return next_random(3) ? 0 : 1000000;
}

static int start(struct slot* slot) {
  union uv_any_handle* handle = slot->handle;
  int number = signal_taken(SIGUSR1) ? SIGUSR2 : SIGUSR1;
  if (slot->closing && slot->kind != TIMER && slot->kind != PIPE)
    return 1;
  switch (slot->kind) {
    case TIMER: return uv_timer_start(&handle->timer, on_timer, now_or_never(), now_or_never());
    case IDLE: return uv_idle_start(&handle->idle, on_idle);
    case PREPARE: return uv_prepare_start(&handle->prepare, on_prepare);
    case CHECK: return uv_check_start(&handle->check, on_check);
    case SIGNAL:
      return slot->under_way || signal_taken(number) ? 2 : uv_signal_start(&handle->signal, on_signal, number);
    case PIPE: return uv_read_start((uv_stream_t*) handle, bring, on_read);
    case FS_EVENT: return uv_fs_event_start(&handle->fs_event, on_change, folder, 0);
    default: return 3;
  }
}

static int stop(struct slot* slot) {
  union uv_any_handle* handle = slot->handle;
  switch (slot->kind) {
    case TIMER: return uv_timer_stop(&handle->timer);
    case IDLE: return uv_idle_stop(&handle->idle);
    case PREPARE: return uv_prepare_stop(&handle->prepare);
    case CHECK: return uv_check_stop(&handle->check);
    case SIGNAL: return slot->under_way || slot->closing ? 2 : uv_signal_stop(&handle->signal);
    case PIPE: return uv_read_stop((uv_stream_t*) handle);
    case FS_EVENT: return uv_fs_event_stop(&handle->fs_event);
    default: return 3;
  }
}

static void open_one(void) {
  enum kind kind = 1 + next_random(KINDS - 1);
  if (kind == PIPE) {
    open_pipes(next_random(2));
    return;
  }
  /* libuv calls an async handle that is opened in an async callback before the remaining ones; here it comes last. */
  struct slot* slot = kind == ASYNC && in_asyncs ? NULL : take(kind);
  if (slot == NULL)
    return;
  union uv_any_handle* handle = slot->handle;
  switch (kind) {
    case TIMER: uv_timer_init(loop, &handle->timer); break;
    case IDLE: uv_idle_init(loop, &handle->idle); break;
    case PREPARE: uv_prepare_init(loop, &handle->prepare); break;
    case CHECK: uv_check_init(loop, &handle->check); break;
    case ASYNC: uv_async_init(loop, &handle->async, on_async); break;
    case SIGNAL: uv_signal_init(loop, &handle->signal); break;
    default: uv_fs_event_init(loop, &handle->fs_event); break;
  }
  say(handle, "opens", next_random(4) ? start(slot) : 0);
}

static void close_one(struct slot* slot, int at_any_rate) {
  if (slot->closing || (slot->under_way && !at_any_rate))
    return;
  slot->closing = 1;
  say(slot->handle, "closes", 0);
  uv_close((uv_handle_t*) slot->handle, closed);
}

static void write_to(struct slot* slot) {
  uv_stream_t* stream = (uv_stream_t*) slot->handle;
  struct request* req = make_request();
  int parts = 1 + next_random(6), size = 1 + next_random(600);
  uv_buf_t bufs[6];
  for (int i = 0; i < parts; i++)
    bufs[i] = uv_buf_init(req->bytes + i * size, size);
  int now = next_random(4) == 0;
  int status = now ? uv_try_write(stream, bufs, parts) : uv_write(&req->is.write, stream, bufs, parts, on_write);
  printf("write %d on %d: %d\n", req->number, slot->number, status);
  if (now || status != 0)
    free(req);
}

static void touch(void) {
  char path[64];
  snprintf(path, sizeof(path), "%s/%u", folder, next_random(3));
  close(open(path, O_CREAT | O_WRONLY, 0600));
  if (next_random(2))
    unlink(path);
}

/* Does something to a handle that causes its callback. */
static void provoke(struct slot* slot) {
  if (slot->closing)
    return;
  if (slot->kind == PIPE)
    write_to(slot);
  else if (slot->kind == FS_EVENT)
    touch();
  else if (slot->kind == ASYNC) {
    slot->under_way = 1;
    uv_async_send(&slot->handle->async);
  } else if (slot->kind == SIGNAL && slot->handle->signal.signum != 0 && !slot->under_way) {
    slot->under_way = 1;
    raise(slot->handle->signal.signum);
  }
}

static void shut(struct slot* slot) {
  if (slot->kind != PIPE || slot->closing)
    return;
  struct request* req = make_request();
  int status = uv_shutdown(&req->is.shutdown, (uv_stream_t*) slot->handle, on_shutdown);
  printf("shutdown %d on %d: %d\n", req->number, slot->number, status);
  if (status != 0)
    free(req);
}

static void seen(uv_handle_t* handle, void* arg) {
  printf(" %d%s%s%s", slot_of(handle)->number, uv_is_active(handle) ? "a" : "", uv_has_ref(handle) ? "r" : "",
         uv_is_closing(handle) ? "c" : "");
}

static void act_once(void) {
  struct slot* slot = pick(1);
  unsigned what = next_random(24);
  if (slot == NULL || what < 5)
    open_one();
  else if (what < 8)
    close_one(slot, 0);
  else if (what < 13)
    provoke(slot);
  else if (what < 16)
    say(slot->handle, "starts", start(slot));
  else if (what < 18)
    say(slot->handle, "stops", stop(slot));
  else if (what == 18)
    uv_ref((uv_handle_t*) slot->handle);
  else if (what == 19)
    uv_unref((uv_handle_t*) slot->handle);
  else if (what == 20)
    shut(slot);
  else if (what == 21) {
    printf("walk");
    uv_walk(loop, seen, NULL);
    printf("\n");
  } else if (what == 22)
    printf("alive %d, requests %u\n", uv_loop_alive(loop), loop->active_reqs.count);
  else if (slot->kind == TIMER && !slot->closing)
    say(slot->handle, "again", uv_timer_again(&slot->handle->timer));
  else if (next_random(4) == 0)
    uv_stop(loop);
}

static void act(int times) {
  for (int i = 0; i < times && budget > 0; i++) {
    budget--;
    if (next_random(3) != 0)
      act_once();
  }
}

static void run(unsigned seed) {
  uv_loop_t memory;
  printf("program %u\n", seed);
  memset(&memory, 0x55, sizeof(memory));
  loop = &memory;
  random_state = seed * 2654435761u;
  numbers = requests = 0;
  uv_loop_init(loop);
  budget = 400;
  act(10);
  for (int turn = 1; budget > 0 && turn < 2000; turn++) {
    printf("turn %d: %d\n", turn, uv_run(loop, UV_RUN_NOWAIT));
    budget--;
    if (next_random(3) == 0)
      act(1);
  }
  budget = 0;
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].kind != NONE)
      close_one(&slots[i], 1);
  printf("close %d, ", uv_loop_close(loop));
  while (uv_run(loop, UV_RUN_NOWAIT) != 0)
    continue;
  printf("close %d\n", uv_loop_close(loop));
}

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGUSR1, SIG_IGN);
  signal(SIGUSR2, SIG_IGN);
  if (mkdtemp(folder) == NULL)
    return 1;
  unsigned from = argc > 1 ? (unsigned) atoi(argv[1]) : 1;
  unsigned to = argc > 1 ? from : 100;
  for (unsigned seed = from; seed <= to; seed++)
    run(seed);
  for (int i = 0; i < 3; i++) {
    char path[64];
    snprintf(path, sizeof(path), "%s/%d", folder, i);
    unlink(path);
  }
  return rmdir(folder) != 0;
}
