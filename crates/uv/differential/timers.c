/* Timers, and idle, prepare and check handles: order, invalid arguments, the fields of the structs. */
#include "common.h"

static uv_loop_t loop;
static uv_timer_t timers[8];
static int fired;

static void say(const char* word, uv_timer_t* timer) {
  uv_handle_t* handle = (uv_handle_t*) timer;
  printf("%s %d: active %d closing %d ref %d flags %x repeat %d handles %u", word, (int) (timer - timers),
         uv_is_active(handle), uv_is_closing(handle), uv_has_ref(handle), handle->flags & 0xf,
         (int) uv_timer_get_repeat(timer), loop.active_handles);
  if (timer->repeat != 0 && uv_is_active(handle))
    printf(" timeout %d", timer->timeout > loop.time);
  printf("\n");
}

static void closed(uv_handle_t* handle) {
  printf("closed %s flags %x\n", uv_handle_type_name(handle->type), handle->flags & 0xf);
}

static void tick(uv_timer_t* timer) {
  say("tick", timer);
  if (++fired == 6)
    for (int i = 0; i < 8; i++)
      uv_close((uv_handle_t*) &timers[i], i % 2 ? closed : NULL);
}

static void again(uv_timer_t* timer) {
  say("again", timer);
  uv_timer_stop(&timers[3]);
  printf("start %d\n", uv_timer_start(timer, tick, 0, 0));
}

static uv_idle_t idles[3];
static uv_prepare_t prepares[3];
static uv_check_t checks[3];
static int turns;

static void on_idle(uv_idle_t* idle) {
  printf("idle %d\n", (int) (idle - idles));
}

static void other_idle(uv_idle_t* idle) {
  printf("other idle %d\n", (int) (idle - idles));
}

static void on_prepare(uv_prepare_t* prepare) {
  printf("prepare %d\n", (int) (prepare - prepares));
  if (prepare == &prepares[1])
    uv_prepare_stop(&prepares[0]);
}

static void on_check(uv_check_t* check) {
  printf("check %d\n", (int) (check - checks));
  uv_check_start(&checks[2], on_check);
  if (++turns < 6)
    return;
  uv_stop(&loop);
  for (int i = 0; i < 3; i++) {
    uv_idle_stop(&idles[i]);
    uv_close((uv_handle_t*) &idles[i], closed);
    uv_close((uv_handle_t*) &prepares[i], closed);
    uv_close((uv_handle_t*) &checks[i], closed);
  }
}

int main(void) {
  memset(&loop, 0xaa, sizeof(loop));
  memset(timers, 0xaa, sizeof(timers));
  printf("init %d\n", uv_loop_init(&loop));
  for (int i = 0; i < 8; i++)
    printf("%d", uv_timer_init(&loop, &timers[i]));
  printf("\n");
  say("new", &timers[0]);
  printf("null %d\n", uv_timer_start(&timers[0], NULL, 1, 1));
  printf("again %d\n", uv_timer_again(&timers[0]));
  printf("stop %d\n", uv_timer_stop(&timers[0]));
  printf("due %d\n", (int) uv_timer_get_due_in(&timers[0]));
  uv_timer_start(&timers[5], tick, UINT64_MAX, UINT64_MAX);
  say("far", &timers[5]);
  printf("far due %d\n", uv_timer_get_due_in(&timers[5]) > 1000000);
  uv_timer_stop(&timers[5]);
  uv_timer_set_repeat(&timers[6], 7);
  printf("never started %d\n", uv_timer_again(&timers[6]));
  uv_timer_start(&timers[6], tick, 50000, 0);
  printf("no repeat %d\n", uv_timer_again(&timers[6]));
  uv_timer_set_repeat(&timers[6], 2);
  printf("again %d\n", uv_timer_again(&timers[6]));
  say("again", &timers[6]);
  uv_timer_stop(&timers[6]);

  /* One timer phase: a timer that is stopped in it does not run, and one that is started in it runs in the next. */
  uv_timer_start(&timers[0], again, 0, 0);
  uv_timer_start(&timers[3], tick, 0, 0);
  printf("run %d\n", uv_run(&loop, UV_RUN_NOWAIT));
  printf("run %d\n", uv_run(&loop, UV_RUN_NOWAIT));

  /* Timers with the same timeout run in the order in which they were started; then one repeats alone. */
  uv_timer_start(&timers[1], tick, 1, 3);
  uv_timer_start(&timers[2], tick, 1, 0);
  uv_timer_start(&timers[7], tick, 1, 0);
  uv_timer_start(&timers[4], tick, 1000000, 0);
  uv_unref((uv_handle_t*) &timers[4]);
  printf("alive %d timeout %d\n", uv_loop_alive(&loop), uv_backend_timeout(&loop) >= 0);
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  printf("closed start %d\n", uv_timer_start(&timers[1], tick, 1, 1));
  say("closed", &timers[1]);

  for (int i = 0; i < 3; i++) {
    uv_idle_init(&loop, &idles[i]);
    uv_prepare_init(&loop, &prepares[i]);
    uv_check_init(&loop, &checks[i]);
    printf("%d", uv_idle_start(&idles[i], NULL));
    printf("%d", uv_prepare_start(&prepares[i], NULL));
    printf("%d ", uv_check_start(&checks[i], NULL));
    if (i < 2)
      printf("%d%d%d ", uv_idle_start(&idles[i], on_idle), uv_prepare_start(&prepares[i], on_prepare),
             uv_check_start(&checks[i], on_check));
    printf("%d\n", uv_idle_start(&idles[0], other_idle));
  }
  printf("busy %d\n", uv_loop_close(&loop));
  printf("run %d\n", uv_run(&loop, UV_RUN_DEFAULT));
  printf("run %d\n", uv_run(&loop, UV_RUN_NOWAIT));
  printf("run %d\n", uv_run(&loop, UV_RUN_ONCE));
  printf("close %d\n", uv_loop_close(&loop));
  return 0;
}
