/* Requests on the pool: cancelled before a thread has started them, or too late; the order of the callbacks. */
#include "common.h"
#include <netdb.h>
#include <netinet/in.h>

enum { THREADS = 4 };

static uv_loop_t* loop;
static uv_sem_t begun, end;
static uv_work_t busy[THREADS], work[3];
static uv_fs_t files[8];
static uv_getaddrinfo_t addresses;
static uv_getnameinfo_t names;
static uv_random_t bytes;
static char memory[16];
static int calls;

static void block(uv_work_t* req) {
  uv_sem_post(&begun);
  uv_sem_wait(&end);
}

static void unblocked(uv_work_t* req, int status) {
  calls++;
  printf("unblocked %d, too late %d\n", status, uv_cancel((uv_req_t*) req));
}

static void never(uv_work_t* req) { printf("was to be taken back\n"); }
static void last(uv_work_t* req) { req->data = &last; }

static void worked(uv_work_t* req, int status) {
  calls++;
  printf("work %ld: %d %d\n", req - work, status, req->data != NULL);
}

static void found(uv_getaddrinfo_t* req, int status, struct addrinfo* list) {
  calls++;
  printf("addresses %d %d\n", status, list == NULL);
}

static void filled(uv_random_t* req, int status, void* at, size_t count) {
  calls++;
  printf("random %d %zu\n", status, count);
}

static void named(uv_getnameinfo_t* req, int status, const char* host, const char* service) {
  calls++;
  printf("names %d %d %d\n", status, host == NULL, service == NULL);
}

static void done(uv_fs_t* req) {
  calls++;
  printf("file %ld: type %d result %zd ptr %d path %s new %s bufs %d alive %d\n", req - files, (int) req->fs_type, req->result,
         req->ptr != NULL, req->path == NULL ? "(null)" : req->path, req->new_path == NULL ? "(null)" : req->new_path,
         req->bufs != NULL, uv_loop_alive(loop));
  uv_fs_req_cleanup(req);
  uv_fs_req_cleanup(req);
}

int main(void) {
  loop = uv_default_loop();
  uv_sem_init(&begun, 0);
  uv_sem_init(&end, 0);
  for (int i = 0; i < THREADS; i++)
    uv_queue_work(loop, &busy[i], block, unblocked);
  for (int i = 0; i < THREADS; i++)
    uv_sem_wait(&begun);

  struct sockaddr_in four;
  uv_ip4_addr("127.0.0.1", 80, &four);
  uv_buf_t many[6];
  for (int i = 0; i < 6; i++)
    many[i] = uv_buf_init(memory, i);
  uv_req_t* all[] = {(uv_req_t*) &work[0],  (uv_req_t*) &files[0], (uv_req_t*) &files[1], (uv_req_t*) &files[2],
                     (uv_req_t*) &files[3], (uv_req_t*) &files[4], (uv_req_t*) &files[5], (uv_req_t*) &files[6],
                     (uv_req_t*) &addresses, (uv_req_t*) &names, (uv_req_t*) &bytes, (uv_req_t*) &work[1]};
  enum { COUNT = sizeof(all) / sizeof(*all) };
  printf("begun %d", uv_queue_work(loop, &work[0], never, worked));
  printf(" %d", uv_fs_stat(loop, &files[0], "/", done));
  printf(" %d", uv_fs_read(loop, &files[1], 0, many, 6, 0, done));
  printf(" %d", uv_fs_write(loop, &files[2], 2, many, 2, -1, done));
  printf(" %d", uv_fs_rename(loop, &files[3], "none", "never", done));
  printf(" %d", uv_fs_scandir(loop, &files[4], "/", 0, done));
  printf(" %d", uv_fs_opendir(loop, &files[5], "/", done));
  printf(" %d", uv_fs_mkstemp(loop, &files[6], "XXXXXX", done));
  printf(" %d", uv_getaddrinfo(loop, &addresses, found, "127.0.0.1", NULL, NULL));
  printf(" %d", uv_getnameinfo(loop, &names, named, (void*) &four, NI_NUMERICHOST));
  printf(" %d", uv_random(loop, &bytes, memory, sizeof(memory), 0, filled));
  printf(" %d", uv_queue_work(loop, &work[1], never, worked));
  printf(" kept %d", uv_queue_work(loop, &work[2], last, worked));
  printf(" %d\n", uv_fs_stat(loop, &files[7], "/", done));
  printf("kinds");
  for (int i = 0; i < COUNT; i++)
    printf(" %s", uv_req_type_name(uv_req_get_type(all[i])));
  printf("\nbusy %d, taken back", uv_cancel((uv_req_t*) &busy[0]));
  for (int i = COUNT; i-- > 0;)
    printf(" %d", uv_cancel(all[i]));
  printf(", again");
  for (int i = COUNT; i-- > 0;)
    printf(" %d", uv_cancel(all[i]));
  printf("\nalive %d\n", uv_loop_alive(loop));
  uv_run(loop, UV_RUN_NOWAIT);
  printf("alive %d\n", uv_loop_alive(loop));
  /* One thread executes the remaining requests in order, before the other threads continue. */
  uv_sem_post(&end);
  while (calls < COUNT + 3)
    uv_run(loop, UV_RUN_ONCE);
  for (int i = 1; i < THREADS; i++)
    uv_sem_post(&end);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_req_t other = {.type = UV_CONNECT};
  printf("other kinds %d", uv_cancel(&other));
  printf(" closed %d\n", uv_loop_close(loop));
  return 0;
}
