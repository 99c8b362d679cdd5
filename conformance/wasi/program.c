typedef unsigned int u32; typedef unsigned long long u64; typedef unsigned short u16;
#define IMP(n) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#n)))
typedef struct { const void* p; u32 n; } io;
IMP(fd_write) int fd_write(int, const io*, u32, u32*); IMP(fd_read) int fd_read(int, const io*, u32, u32*);
IMP(args_sizes_get) int args_sizes_get(u32*, u32*); IMP(args_get) int args_get(char**, char*);
IMP(environ_sizes_get) int environ_sizes_get(u32*, u32*); IMP(environ_get) int environ_get(char**, char*);
IMP(path_open) int path_open(int, u32, const char*, u32, u32, u64, u64, u32, int*); IMP(fd_close) int fd_close(int);
IMP(proc_exit) void proc_exit(int); IMP(fd_seek) int fd_seek(int, long long, u32, u64*);
static u32 len(const char* s) { u32 n = 0; while (s[n]) n++; return n; }
static void out(int fd, const char* s) { io v = { s, len(s) }; u32 w; fd_write(fd, &v, 1, &w); }
static void num(int n) { char b[12]; int i = 11; b[i] = 0; if (!n) b[--i] = '0'; while (n) { b[--i] = '0' + n % 10; n /= 10; } out(1, b + i); out(1, "\n"); }
static char buffer[2000]; static char* list[20];
__attribute__((export_name("_start"))) void start(void) {
  u32 n, size; args_sizes_get(&n, &size); args_get(list, buffer);
  for (u32 i = 0; i < n; i++) { out(1, list[i]); out(1, "\n"); }
  environ_sizes_get(&n, &size); environ_get(list, buffer);
  for (u32 i = 0; i < n; i++) { out(1, list[i]); out(1, "\n"); }
  io in = { buffer, 100 }; u32 r; num(fd_read(0, &in, 1, &r)); num(r); buffer[r] = 0; out(1, buffer);
  int fd; num(path_open(3, 0, "in.txt", 6, 0, 2 | 4, 0, 0, &fd)); num(fd);
  num(fd_read(fd, &in, 1, &r)); buffer[r] = 0; out(1, buffer); num(fd_close(fd));
  num(path_open(3, 0, "out.txt", 7, 1 | 8, 64, 0, 0, &fd)); out(fd, "written by the module\n"); num(fd_close(fd));
  num(path_open(3, 0, "../x", 4, 0, 2, 0, 0, &fd));
  out(2, "to stderr\n"); proc_exit(33); out(1, "not reached\n");
}
