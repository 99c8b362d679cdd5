/* File operations: synchronous without a loop, then on the pool; the fields of the request afterwards; invalid arguments. */
#include "common.h"
#include <limits.h>
#include <math.h>
#include <sys/stat.h>

static uv_loop_t* the_loop;
static int blocks;

static void* count_malloc(size_t size) { blocks++; return malloc(size); }
static void* count_calloc(size_t count, size_t size) { blocks++; return calloc(count, size); }
static void* count_realloc(void* old, size_t size) { blocks += old == NULL; return realloc(old, size); }
static void count_free(void* block) { blocks -= block != NULL; free(block); }

static void show(uv_fs_t* req) {
  const char* path = req->path == NULL ? "(null)" : strlen(req->path) > 99 ? "(long)" : req->path;
  printf(" result %zd type %d %d ptr %d path %s new %s bufs %d error %d loop %d cb %d\n", req->result, (int) req->type,
         (int) req->fs_type, req->ptr != NULL, path, req->new_path == NULL ? "(null)" : req->new_path, req->bufs != NULL,
         uv_fs_get_system_error(req), req->loop == the_loop, req->cb != NULL);
}

static void done(uv_fs_t* req) {
  printf("  called:");
  show(req);
}

static void clean(uv_fs_t* req) {
  uv_fs_req_cleanup(req);
  uv_fs_req_cleanup(req);
  if (req->ptr != NULL || req->path != NULL || req->new_path != NULL || req->bufs != NULL)
    printf("  not clean\n");
}

/* The expression can use `loop`, `req` and `cb`. */
#define ASK(...)                                                                                                       \
  do {                                                                                                                 \
    uv_fs_t req_, *req = &req_;                                                                                        \
    uv_loop_t* loop = NULL;                                                                                            \
    uv_fs_cb cb = NULL;                                                                                                \
    memset(req, 0x5a, sizeof(*req));                                                                                   \
    int r = __VA_ARGS__;                                                                                               \
    printf("%s\n  at once %d:", #__VA_ARGS__, r);                                                                      \
    show(req);                                                                                                         \
    clean(req);                                                                                                        \
    loop = the_loop, cb = done;                                                                                        \
    memset(req, 0x5a, sizeof(*req));                                                                                   \
    r = __VA_ARGS__;                                                                                                   \
    printf("  begun %d, alive %d\n", r, uv_loop_alive(loop));                                                          \
    uv_run(loop, UV_RUN_DEFAULT);                                                                                      \
    clean(req);                                                                                                        \
  } while (0)

static int fresh(const char* name, const char* text) {
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0640);
  if (fd < 0 || write(fd, text, strlen(text)) < 0)
    printf("cannot make %s\n", name);
  return fd;
}

static void names(void) {
  static char deep[5000], longest[300];
  memset(deep, 'a', sizeof(deep) - 1);
  memset(longest, 'b', sizeof(longest) - 1);
  ASK(uv_fs_stat(loop, req, "none", cb));
  ASK(uv_fs_stat(loop, req, "", cb));
  ASK(uv_fs_stat(loop, req, deep, cb));
  ASK(uv_fs_lstat(loop, req, longest, cb));
  ASK(uv_fs_access(loop, req, "f", 0x40, cb));
  ASK(uv_fs_access(loop, req, "f", -1, cb));
  ASK(uv_fs_access(loop, req, "f", R_OK | W_OK, cb));
  ASK(uv_fs_access(loop, req, "none", F_OK, cb));
  ASK(uv_fs_chmod(loop, req, "f", 07777, cb));
  ASK(uv_fs_chmod(loop, req, "f", 0170644, cb));
  ASK(uv_fs_chmod(loop, req, "f", -1, cb));
  ASK(uv_fs_chown(loop, req, "f", -1, -1, cb));
  ASK(uv_fs_lchown(loop, req, "none", 0, 0, cb));
  ASK(uv_fs_mkdir(loop, req, "folder", 0755, cb));
  ASK(uv_fs_mkdir(loop, req, "", 0755, cb));
  ASK(uv_fs_rmdir(loop, req, "f", cb));
  ASK(uv_fs_rmdir(loop, req, "folder", cb));
  ASK(uv_fs_link(loop, req, "f", "second", cb));
  ASK(uv_fs_symlink(loop, req, "f", "soft", 0, cb));
  ASK(uv_fs_symlink(loop, req, "f", "other", 99, cb));
  ASK(uv_fs_symlink(loop, req, "", "empty", 0, cb));
  ASK(uv_fs_readlink(loop, req, "soft", cb));
  ASK(uv_fs_readlink(loop, req, "f", cb));
  ASK(uv_fs_readlink(loop, req, "/proc/self/cwd", cb));
  ASK(uv_fs_realpath(loop, req, "none", cb));
  ASK(uv_fs_realpath(loop, req, "", cb));
  ASK(uv_fs_realpath(loop, req, "f/", cb));
  ASK(uv_fs_realpath(loop, req, deep, cb));
  ASK(uv_fs_rename(loop, req, "none", "x", cb));
  ASK(uv_fs_rename(loop, req, "second", "third", cb));
  ASK(uv_fs_unlink(loop, req, "/", cb));
  ASK(uv_fs_unlink(loop, req, "soft", cb));
  ASK(uv_fs_statfs(loop, req, "none", cb));
  ASK(uv_fs_statfs(loop, req, "/proc", cb));
  ASK(uv_fs_open(loop, req, "none", O_RDONLY, 0, cb));
  ASK(uv_fs_open(loop, req, ".", O_WRONLY, 0, cb));
  uv_fs_t req;
  symlink("f", "soft");
  uv_fs_readlink(NULL, &req, "soft", NULL);
  printf("link %s\n", (char*) req.ptr);
  clean(&req);
  uv_fs_realpath(NULL, &req, "./././soft", NULL);
  printf("path %s\n", strrchr(req.ptr, '/'));
  clean(&req);
  uv_fs_statfs(NULL, &req, "/proc", NULL);
  uv_statfs_t* found = req.ptr;
  printf("statfs %lx %lu %lu %lu\n", found->f_type, found->f_bsize, found->f_blocks, found->f_frsize);
  clean(&req);
}

static void bytes(int fd) {
  static char memory[64];
  uv_buf_t hello = uv_buf_init("hello world", 11), nothing = uv_buf_init(NULL, 0), some = uv_buf_init(memory, 64);
  uv_buf_t nowhere = uv_buf_init((char*) 8, 5);
  uv_buf_t seven[7] = {nothing, uv_buf_init("a", 1), nothing, uv_buf_init("bc", 2), nothing, nothing, uv_buf_init("d", 1)};
  uv_buf_t vast[2] = {uv_buf_init(memory, 0x7fffffff), uv_buf_init(memory, 0x7fffffff)};
  ASK(uv_fs_write(loop, req, fd, &hello, 1, -1, cb));
  ASK(uv_fs_write(loop, req, fd, &hello, 1, 3, cb));
  ASK(uv_fs_write(loop, req, fd, &hello, 1, INT64_MIN, cb));
  ASK(uv_fs_write(loop, req, fd, &hello, 1, INT64_MAX, cb));
  ASK(uv_fs_write(loop, req, fd, NULL, 1, -1, cb));
  ASK(uv_fs_write(loop, req, fd, &hello, 0, -1, cb));
  ASK(uv_fs_write(loop, req, fd, &nothing, 1, -1, cb));
  ASK(uv_fs_write(loop, req, 999, &nothing, 1, -1, cb));
  ASK(uv_fs_write(loop, req, fd, &nowhere, 1, -1, cb));
  ASK(uv_fs_write(loop, req, fd, seven, 7, 20, cb));
  ASK(uv_fs_write(loop, req, fd, vast, 2, -1, cb));
  ASK(uv_fs_read(loop, req, fd, &nothing, 1, 0, cb));
  ASK(uv_fs_read(loop, req, fd, &nowhere, 1, 0, cb));
  ASK(uv_fs_read(loop, req, fd, NULL, 0, 0, cb));
  ASK(uv_fs_read(loop, req, fd, &some, 1, 1000, cb));
  ASK(uv_fs_read(loop, req, fd, &some, 1, INT64_MAX, cb));
  ASK(uv_fs_read(loop, req, -1, &some, 1, 0, cb));
  for (int i = 0; i < 7; i++)
    seven[i] = uv_buf_init(memory + 3 * i, i % 2 ? 3 : 0);
  ASK(uv_fs_read(loop, req, fd, seven, 7, 0, cb));
  vast[0].len = 8;
  ASK(uv_fs_read(loop, req, fd, vast, 2, 8, cb));
  hex(memory, 64);
  printf("\n");
  int folder = open(".", O_RDONLY), output = fresh("output", ""), same = dup(output);
  ASK(uv_fs_read(loop, req, folder, &some, 1, -1, cb));
  ASK(uv_fs_sendfile(loop, req, output, fd, 0, 100, cb));
  ASK(uv_fs_sendfile(loop, req, output, fd, -1, 100, cb));
  ASK(uv_fs_sendfile(loop, req, output, fd, 0, (size_t) -1, cb));
  ASK(uv_fs_sendfile(loop, req, output, fd, 0, 0, cb));
  ASK(uv_fs_sendfile(loop, req, -1, fd, 0, 1, cb));
  ASK(uv_fs_sendfile(loop, req, output, same, 0, 3, cb));
  ASK(uv_fs_sendfile(loop, req, output, folder, 0, 3, cb));
  int ends[2];
  if (pipe(ends) == 0 && write(ends[1], "xyz", 3) == 3) {
    close(ends[1]);
    ASK(uv_fs_sendfile(loop, req, output, ends[0], 0, 10, cb));
  }
  printf("sent %ld\n", (long) lseek(output, 0, SEEK_END));
  ASK(uv_fs_fstat(loop, req, -1, cb));
  ASK(uv_fs_fstat(loop, req, fd, cb));
  ASK(uv_fs_ftruncate(loop, req, fd, -1, cb));
  ASK(uv_fs_ftruncate(loop, req, fd, 5, cb));
  ASK(uv_fs_fsync(loop, req, fd, cb));
  ASK(uv_fs_fdatasync(loop, req, -5, cb));
  ASK(uv_fs_fchmod(loop, req, fd, 0600, cb));
  ASK(uv_fs_fchown(loop, req, fd, getuid(), getgid(), cb));
  ASK(uv_fs_close(loop, req, -1, cb));
  ASK(uv_fs_close(loop, req, 999, cb));
}

static void times(int fd) {
  static const double odd[] = {0, 1.5, -1.25, NAN, INFINITY, -INFINITY, 4294967296.5, 1e300, -1e300, 1e18, -0.0, 1e-10,
                               -1e-10, 2147483648.999999999};
  uv_fs_t req;
  for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
    printf("time %g: %d", odd[i], uv_fs_utime(NULL, &req, "f", odd[i], 12.25, NULL));
    clean(&req);
    uv_fs_stat(NULL, &req, "f", NULL);
    if (!isinf(odd[i]) && !isnan(odd[i]))
      printf(" %ld.%09ld", req.statbuf.st_atim.tv_sec, req.statbuf.st_atim.tv_nsec);
    printf(" %ld.%09ld", req.statbuf.st_mtim.tv_sec, req.statbuf.st_mtim.tv_nsec);
    clean(&req);
    printf(" %d", uv_fs_futime(NULL, &req, fd, 3, odd[i], NULL));
    clean(&req);
    printf(" %d\n", uv_fs_lutime(NULL, &req, "f", 7, odd[i], NULL));
    clean(&req);
  }
}

static void templates(void) {
  static const char* all[] = {"XXXXXX", "aXXXXX", "aXXXXXXb", "", "XXXXXXX", "no/XXXXXX", "XXXXXx"};
  uv_fs_t req;
  for (int i = 0; i < 7; i++) {
    int status = uv_fs_mkdtemp(NULL, &req, all[i], NULL);
    printf("folder %s: %d %zu", all[i], status, strlen(req.path));
    if (status == 0)
      rmdir(req.path);
    clean(&req);
    int fd = uv_fs_mkstemp(NULL, &req, all[i], NULL);
    printf(" file %d %zu", fd < 0 ? fd : fcntl(fd, F_GETFD), strlen(req.path));
    if (fd >= 0)
      close(fd), unlink(req.path);
    clean(&req);
    printf("\n");
  }
}

static void copies(void) {
  ASK(uv_fs_copyfile(loop, req, "f", "f", 0, cb));
  ASK(uv_fs_copyfile(loop, req, "f", "third", UV_FS_COPYFILE_EXCL, cb));
  ASK(uv_fs_copyfile(loop, req, "f", "copy", 8, cb));
  ASK(uv_fs_copyfile(loop, req, "f", "copy", -1, cb));
  ASK(uv_fs_copyfile(loop, req, "f", "copy", UV_FS_COPYFILE_FICLONE, cb));
  ASK(uv_fs_copyfile(loop, req, ".", "copy2", 0, cb));
  ASK(uv_fs_copyfile(loop, req, "f", "copy3", UV_FS_COPYFILE_FICLONE_FORCE, cb));
  ASK(uv_fs_copyfile(loop, req, "/dev/null", "copy4", 0, cb));
  ASK(uv_fs_copyfile(loop, req, "none", "copy5", 7, cb));
}

static void folders(void) {
  uv_fs_t req;
  uv_dirent_t entry, entries[3];
  mkdir("list", 0755), mkdir("bare", 0755), mkdir("list/Folder", 0755), symlink("x", "list/link");
  mkfifo("list/fifo", 0600), close(fresh("list/\xff\xfe", "")), close(fresh("list/b", "")), close(fresh("list/a", ""));
  ASK(uv_fs_scandir(loop, req, "none", 0, cb));
  ASK(uv_fs_scandir(loop, req, "f", 0, cb));
  ASK(uv_fs_scandir(loop, req, "bare", 0, cb));
  ASK(uv_fs_scandir(loop, req, "list", 77, cb));
  static const char* all[] = {"list", "bare", "none"};
  for (int i = 0; i < 3; i++) {
    int status = uv_fs_scandir(NULL, &req, all[i], 0, NULL);
    printf("scandir %s %d:", all[i], status);
    while ((status = uv_fs_scandir_next(&req, &entry)) == 0)
      printf(" %s %d", entry.name, entry.type);
    printf(" %d ptr %d again %d\n", status, req.ptr != NULL, uv_fs_scandir_next(&req, &entry));
    clean(&req);
    /* The listing is freed before its end. */
    uv_fs_scandir(NULL, &req, all[i], 0, NULL);
    uv_fs_scandir_next(&req, &entry);
    uv_fs_scandir_next(&req, &entry);
    clean(&req);
  }
  ASK(uv_fs_opendir(loop, req, "none", cb));
  ASK(uv_fs_opendir(loop, req, "f", cb));
  printf("nulls %d", uv_fs_readdir(NULL, &req, NULL, NULL));
  printf(" %d", uv_fs_closedir(NULL, &req, NULL, NULL));
  uv_fs_opendir(NULL, &req, "list", NULL);
  uv_dir_t* dir = req.ptr;
  clean(&req);
  dir->dirents = NULL, dir->nentries = 3;
  printf(" %d", uv_fs_readdir(NULL, &req, dir, NULL));
  dir->dirents = entries, dir->nentries = 0;
  printf(" none wanted %d", uv_fs_readdir(NULL, &req, dir, NULL));
  clean(&req);
  dir->nentries = 3;
  int count, total = 0;
  while ((count = uv_fs_readdir(NULL, &req, dir, NULL)) > 0) {
    total += count;
    clean(&req);
    if (entries[0].name != NULL)
      printf(" a name is left");
  }
  clean(&req);
  printf(" all %d %d", total, count);
  printf(" closed %d", uv_fs_closedir(NULL, &req, dir, NULL));
  show(&req);
  clean(&req);
}

int main(void) {
  uv_replace_allocator(count_malloc, count_realloc, count_calloc, count_free);
  the_loop = uv_default_loop();
  char folder[] = "diff-XXXXXX", remove[64];
  umask(022);
  if (mkdtemp(folder) == NULL || chdir(folder) != 0)
    return 1;
  int fd = fresh("f", "");
  printf("no request %d %d %d\n", uv_fs_stat(NULL, NULL, "x", NULL), uv_fs_read(NULL, NULL, 0, NULL, 0, 0, NULL),
         uv_fs_copyfile(NULL, NULL, "a", "b", 99, NULL));
  uv_fs_req_cleanup(NULL);
  ASK(uv_fs_stat(loop, req, "f", cb));
  /* Blocks that the loop and the pool keep are not counted. */
  int before = blocks;
  names();
  bytes(fd);
  times(fd);
  templates();
  copies();
  folders();
  uv_fs_t req;
  int opened = uv_fs_open(NULL, &req, "opened", O_RDWR | O_CREAT, 04670, NULL);
  struct stat found;
  fstat(opened, &found);
  printf("opened %d flags %x mode %o file %o\n", fcntl(opened, F_GETFD), req.flags, (int) req.mode, (int) found.st_mode);
  clean(&req);
  printf("blocks left %d", blocks - before);
  printf(" closed %d\n", uv_loop_close(the_loop));
  snprintf(remove, sizeof(remove), "rm -rf ../%s", folder);
  return system(remove);
}
