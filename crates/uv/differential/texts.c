/* Functions that return a string in a buffer: environment variables, directories, names. */
#include "common.h"

static int variable(char* buffer, size_t* size) { return uv_os_getenv("TWIN", buffer, size); }
static int first_interface(char* buffer, size_t* size) { return uv_if_indextoname(1, buffer, size); }
static int first_iid(char* buffer, size_t* size) { return uv_if_indextoiid(1, buffer, size); }
static int no_interface(char* buffer, size_t* size) { return uv_if_indextoname(0, buffer, size); }
static int last_interface(char* buffer, size_t* size) { return uv_if_indextoname(~0u, buffer, size); }

static void environment(void) {
  char buffer[8];
  size_t size = sizeof(buffer);
  setenv("TWIN", "value", 1);
  ask_text("variable", variable);
  setenv("TWIN", "", 1);
  ask_text("empty variable", variable);
  unsetenv("TWIN");
  ask_text("no variable", variable);
  printf("get %d %d\n", uv_os_getenv(NULL, buffer, &size), uv_os_getenv("", buffer, &size));
  printf("set %d %d %d %d %d\n", uv_os_setenv(NULL, "a"), uv_os_setenv("a", NULL), uv_os_setenv("", "x"),
         uv_os_setenv("a=b", "x"), uv_os_setenv("TWIN", ""));
  printf("unset %d %d %d %d\n", uv_os_unsetenv(NULL), uv_os_unsetenv(""), uv_os_unsetenv("a=b"), uv_os_unsetenv("TWIN"));

  char* odd[] = {"A=1", "B", "=odd=2", "C=", "D=x=y", NULL};
  char** kept = environ;
  uv_env_item_t* items;
  int count;
  environ = odd;
  printf("environ %d", uv_os_environ(&items, &count));
  for (int i = 0; i < count; i++)
    printf(" {%s|%s}", items[i].name, items[i].value);
  uv_os_free_environ(items, count);
  odd[0] = NULL;
  printf(" none %d", uv_os_environ(&items, &count));
  printf(" %d\n", count);
  uv_os_free_environ(items, count);
  environ = kept;
  uv_os_free_environ(NULL, 0);
}

static void directories(void) {
  char buffer[100];
  size_t size = sizeof(buffer);
  setenv("HOME", "/some/home/", 1);
  ask_text("home", uv_os_homedir);
  setenv("HOME", "", 1);
  ask_text("empty home", uv_os_homedir);
  unsetenv("HOME");
  ask_text("home by the password file", uv_os_homedir);
  unsetenv("TMPDIR"), unsetenv("TMP"), unsetenv("TEMP"), unsetenv("TEMPDIR");
  ask_text("tmp", uv_os_tmpdir);
  setenv("TEMPDIR", "/d/", 1);
  ask_text("TEMPDIR", uv_os_tmpdir);
  setenv("TEMP", "/", 1);
  ask_text("TEMP", uv_os_tmpdir);
  setenv("TMP", "", 1);
  ask_text("TMP", uv_os_tmpdir);
  setenv("TMPDIR", "//", 1);
  ask_text("TMPDIR", uv_os_tmpdir);
  printf("chdir %d %d %d %d\n", uv_chdir("/nowhere"), uv_chdir(""), uv_chdir(NULL), uv_chdir("/usr/lib"));
  ask_text("cwd", uv_cwd);
  printf("chdir %d\n", uv_chdir("/"));
  ask_text("cwd at the root", uv_cwd);
  char gone[] = "/tmp/difXXXXXX";
  if (mkdtemp(gone) == NULL || chdir(gone) != 0 || rmdir(gone) != 0)
    abort();
  printf("cwd that is gone %d\n", uv_cwd(buffer, &size));
  printf("chdir %d\n", uv_chdir("/"));
}

/* The path of the program depends on the build folder, so only its last part is printed. */
static int program(char* buffer, size_t* size) {
  size_t room = size == NULL ? 0 : *size;
  int status = uv_exepath(buffer, size);
  if (status == 0 && room < 100)
    *size = room - 1 == *size ? 0 : 1, buffer[*size] = 0, buffer[0] = 0;
  else if (status == 0)
    *size = strlen(strcpy(buffer, strrchr(buffer, '/')));
  return status;
}

int main(void) {
  environment();
  directories();
  ask_text("program", program);
  ask_text("host", uv_os_gethostname);
  ask_text("interface", first_interface);
  ask_text("iid", first_iid);
  ask_text("no interface", no_interface);
  ask_text("last interface", last_interface);
  return 0;
}
