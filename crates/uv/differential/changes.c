/* Handles that watch files and folders: uv_fs_event_t and uv_fs_poll_t. */
#include "common.h"
#include <sys/stat.h>

static uv_loop_t* loop;
static int calls;

static void changed(uv_fs_event_t* handle, const char* name, int events, int status) {
  printf("  %s: %s %d %d active %d\n", (char*) handle->data, name == NULL ? "(null)" : name, events, status,
         uv_is_active((uv_handle_t*) handle));
  calls++;
}

static void changed_and_ends(uv_fs_event_t* handle, const char* name, int events, int status) {
  changed(handle, name, events, status);
  uv_fs_event_stop(handle);
}

static void turn(const char* what) {
  printf("%s\n", what);
  uv_run(loop, UV_RUN_NOWAIT);
}

static void paths(uv_fs_event_t* event, uv_fs_poll_t* poll) {
  char buffer[32];
  for (size_t room = 0; room < 9; room++) {
    size_t size = room;
    int status = uv_fs_event_getpath(event, buffer, &size);
    printf(" [%zu %d %zu %s", room, status, size, status == 0 ? buffer : "");
    size = room;
    status = uv_fs_poll_getpath(poll, buffer, &size);
    printf(" %d %zu %s]", status, size, status == 0 ? buffer : "");
  }
  size_t size = 9;
  printf(" nulls %d %d %d %d\n", uv_fs_event_getpath(event, NULL, &size), uv_fs_event_getpath(event, buffer, NULL),
         uv_fs_poll_getpath(poll, NULL, &size), uv_fs_poll_getpath(poll, buffer, NULL));
}

static void put(const char* name, const char* text) {
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || write(fd, text, strlen(text)) < 0)
    printf("cannot write %s\n", name);
  close(fd);
}

static void looked(uv_fs_poll_t* handle, int status, const uv_stat_t* before, const uv_stat_t* now) {
  printf("  looked: %d size %lu then %lu, mode %lo then %lo, active %d\n", status, (long) before->st_size,
         (long) now->st_size, (long) before->st_mode, (long) now->st_mode, uv_is_active((uv_handle_t*) handle));
  if (++calls == 1)
    put("polled", "more");
  else if (calls == 2)
    unlink("polled");
  else if (calls == 3)
    put("polled", "again");
  else
    uv_fs_poll_stop(handle);
}

int main(void) {
  loop = uv_default_loop();
  char folder[] = "diff-XXXXXX", remove[64];
  if (mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("list", 0700) != 0)
    return 1;
  put("file", "text");
  uv_fs_event_t events[4];
  uv_fs_poll_t poll;
  static const char* names[] = {"one", "two", "folder", "once"};
  for (int i = 0; i < 4; i++) {
    memset(&events[i], 0x5a, sizeof(events[i]));
    printf("init %d", uv_fs_event_init(loop, &events[i]));
    events[i].data = (void*) names[i];
  }
  memset(&poll, 0x5a, sizeof(poll));
  printf(" %d\n", uv_fs_poll_init(loop, &poll));
  paths(&events[0], &poll);
  printf("none %d %d", uv_fs_event_start(&events[0], changed, "none", 0), uv_fs_event_start(&events[0], changed, "", 0));
  printf(" active %d", uv_is_active((uv_handle_t*) &events[0]));
  printf(" file %d again %d", uv_fs_event_start(&events[0], changed, "file", 99), uv_fs_event_start(&events[0], changed, "x", 0));
  printf(" same %d", uv_fs_event_start(&events[1], changed, "./file", 0));
  printf(" folder %d", uv_fs_event_start(&events[2], changed, "list", UV_FS_EVENT_RECURSIVE));
  printf(" once %d", uv_fs_event_start(&events[3], changed_and_ends, "list/", 0));
  printf(" active %d\n", uv_is_active((uv_handle_t*) &events[0]));

  turn("nothing");
  chmod("file", 0640);
  turn("attributes");
  put("list/a", "");
  turn("made");
  rename("list/a", "list/b");
  turn("moved");
  chmod("list", 0750);
  turn("attributes of a folder");
  uv_fs_event_stop(&events[0]);
  chmod("file", 0600);
  turn("one is stopped");
  unlink("file");
  turn("the file is gone");
  unlink("list/b");
  rmdir("list");
  turn("the folder is gone");
  for (int i = 0; i < 4; i++) {
    printf("stop %d", uv_fs_event_stop(&events[i]));
    uv_close((uv_handle_t*) &events[i], NULL);
  }
  printf(" active %d\n", uv_is_active((uv_handle_t*) &events[2]));

  calls = 0;
  printf("poll %d", uv_fs_poll_start(&poll, looked, "polled", 0));
  printf(" again %d active %d\n", uv_fs_poll_start(&poll, looked, "other", 5), uv_is_active((uv_handle_t*) &poll));
  paths(&events[0], &poll);
  printf("left %d after %d\n", uv_run(loop, UV_RUN_DEFAULT), calls);
  printf("stop %d %d\n", uv_fs_poll_stop(&poll), uv_fs_poll_stop(&poll));
  uv_fs_poll_start(&poll, looked, "polled", 1000);
  uv_fs_poll_stop(&poll);
  uv_fs_poll_start(&poll, looked, "polled", 1000);
  uv_close((uv_handle_t*) &poll, NULL);
  printf("left %d", uv_run(loop, UV_RUN_DEFAULT));
  printf(" closed %d\n", uv_loop_close(loop));
  snprintf(remove, sizeof(remove), "rm -rf ../%s", folder);
  return system(remove);
}
