/* The process title from the start of the program. Runs itself again with other arguments. */
#include "common.h"

static void show(int status) {
  char title[5000], line[5000];
  printf("set %d", status);
  status = uv_get_process_title(title, sizeof(title));
  printf(" get %d [%.30s] %zu", status, status ? "" : title, status ? 0 : strlen(title));
  FILE* file = fopen("/proc/self/cmdline", "r");
  int bytes = fread(line, 1, sizeof(line) - 1, file);
  fclose(file);
  line[bytes] = 0;
  printf(" arguments %d [%.30s]", bytes, line);
  file = fopen("/proc/self/comm", "r");
  printf(" name %s", fgets(line, sizeof(line), file));
  fclose(file);
}

int main(int argc, char** argv) {
  char title[5000], lengthy[4001];
  printf("before %d %d %d %d\n", uv_get_process_title(title, 10), uv_set_process_title("x"),
         uv_get_process_title(NULL, 10), uv_get_process_title(title, 0));
  printf("no arguments %d %d\n", uv_setup_args(0, argv) == argv, uv_setup_args(-3, argv) == argv);
  char** moved = uv_setup_args(argc, argv);
  size_t length = strlen(moved[0]);
  printf("moved %d, ends %d\n", moved != argv, moved[argc] == NULL);
  printf("room %d", uv_get_process_title(title, sizeof(title)));
  printf(" %d", strcmp(title, moved[0]));
  printf(" %d %d\n", length == 0 ? 0 : uv_get_process_title(title, length), uv_get_process_title(title, length + 1));
  memset(lengthy, 't', 4000);
  lengthy[4000] = 0;
  show(uv_set_process_title(""));
  show(uv_set_process_title("a"));
  show(uv_set_process_title("new title"));
  show(uv_set_process_title(lengthy));
  for (int i = 0; i < argc; i++)
    printf("still [%s]\n", moved[i]);
  fflush(stdout);
  static char* const rounds[][5] = {
    {"x", "1", NULL},
    {"a rather long name for a program", "2", "two words", "", NULL},
    {"", "3", "", "", NULL},
  };
  int next = argc > 1 ? atoi(moved[1]) : 0;
  if (next < 3)
    execv("/proc/self/exe", rounds[next]);
  return 0;
}
