/* Threads, locks and shared libraries, as far as a single thread can test them. */
#include "common.h"

static uv_key_t key;

static void once(void) { printf("once\n"); }

static void in_thread(void* argument) {
  size_t size;
  void* address;
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &address, &size);
  pthread_attr_destroy(&attributes);
  printf(" stack %zu %s %d", size, (char*) argument, uv_key_get(&key) == NULL);
}

static void threads(void) {
  static const size_t sizes[] = {0, 1, 8192, 65536, 100000, 1 << 20, SIZE_MAX, SIZE_MAX - 4096, (size_t) 1 << 46};
  printf("key %d", uv_key_create(&key));
  uv_key_set(&key, &key);
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
    uv_thread_options_t options = {UV_THREAD_HAS_STACK_SIZE, sizes[i]};
    uv_thread_t thread;
    int status = uv_thread_create_ex(&thread, &options, in_thread, "argument");
    /* Joined first, because the thread prints too. */
    int joined = status == 0 ? uv_thread_join(&thread) : 0;
    printf(" create %d join %d", status, joined);
  }
  printf(" %d\n", uv_key_get(&key) == &key);
  uv_key_delete(&key);

  uv_thread_t self = uv_thread_self(), other = self + 8;
  printf("equal %d %d\n", uv_thread_equal(&self, &self), uv_thread_equal(&self, &other));
  char name[40];
  printf("names %d %d %d", uv_thread_setname(NULL), uv_thread_getname(&self, NULL, 4), uv_thread_getname(&self, name, 0));
  static const char* const set[] = {"", "a", "0123456789abcdefghij"};
  static const size_t rooms[] = {1, 5, 16, 40};
  for (int i = 0; i < 3; i++) {
    printf("\n%d", uv_thread_setname(set[i]));
    for (int room = 0; room < 4; room++) {
      memset(name, 'x', sizeof(name));
      printf(" %d ", uv_thread_getname(&self, name, rooms[room]));
      hex(name, sizeof(name));
    }
  }
}

static void scheduling(void) {
  uv_thread_t self = uv_thread_self();
  static char mask[1024], old[1024];
  memset(mask, 1, sizeof(mask));
  printf("\naffinity %d %d %d", uv_thread_getaffinity(&self, old, 1023), uv_thread_setaffinity(&self, mask, NULL, 0),
         uv_thread_getaffinity(&self, old, 1024));
  printf(" %d", uv_thread_setaffinity(&self, mask, NULL, 1024));
  memset(mask, 0, sizeof(mask));
  printf(" %d", uv_thread_setaffinity(&self, mask, old, 1024));
  printf(" %d", uv_thread_setaffinity(&self, old, mask, 1024));
  hex(mask, 16);
  printf(" on one %d\n", uv_thread_getcpu() >= 0);
  int priority = 99;
  printf("priority %d %d %d", uv_thread_getpriority(self, NULL), uv_thread_setpriority(self, 3),
         uv_thread_setpriority(self, -3));
  for (int i = 2; i >= -2; i--) {
    printf(" %d", uv_thread_setpriority(self, i));
    printf(" %d=%d", uv_thread_getpriority(self, &priority), priority);
  }
  printf("\n");
}

static void locks(void) {
  uv_sem_t semaphore;
  printf("semaphore %d %d", uv_sem_init(&semaphore, 4000000000u), uv_sem_init(&semaphore, 1));
  printf(" %d %d\n", uv_sem_trywait(&semaphore), uv_sem_trywait(&semaphore));
  uv_sem_post(&semaphore);
  uv_sem_wait(&semaphore);
  uv_sem_destroy(&semaphore);
  uv_barrier_t barrier;
  printf("barrier %d %d", uv_barrier_init(&barrier, 0), uv_barrier_init(&barrier, 1));
  printf(" %d", uv_barrier_wait(&barrier));
  printf(" %d\n", uv_barrier_wait(&barrier));
  uv_barrier_destroy(&barrier);
  uv_once_t guard = UV_ONCE_INIT;
  uv_once(&guard, once);
  uv_once(&guard, once);
  uv_mutex_t mutex;
  printf("recursive %d", uv_mutex_init_recursive(&mutex));
  uv_mutex_lock(&mutex);
  printf(" %d\n", uv_mutex_trylock(&mutex));
  uv_mutex_unlock(&mutex);
  uv_mutex_unlock(&mutex);
  uv_mutex_destroy(&mutex);
  printf("mutex %d", uv_mutex_init(&mutex));
  printf(" %d %d\n", uv_mutex_trylock(&mutex), uv_mutex_trylock(&mutex));
  uv_cond_t condition;
  printf("condition %d", uv_cond_init(&condition));
  printf(" %d %d\n", uv_cond_timedwait(&condition, &mutex, 0), uv_cond_timedwait(&condition, &mutex, 1000000));
  uv_cond_signal(&condition);
  uv_cond_broadcast(&condition);
  uv_cond_destroy(&condition);
  uv_mutex_unlock(&mutex);
  uv_mutex_destroy(&mutex);
  uv_rwlock_t lock;
  printf("lock %d", uv_rwlock_init(&lock));
  uv_rwlock_rdlock(&lock);
  printf(" %d %d", uv_rwlock_tryrdlock(&lock), uv_rwlock_trywrlock(&lock));
  uv_rwlock_rdunlock(&lock);
  uv_rwlock_rdunlock(&lock);
  printf(" %d %d\n", uv_rwlock_trywrlock(&lock), uv_rwlock_tryrdlock(&lock));
  uv_rwlock_wrunlock(&lock);
  uv_rwlock_destroy(&lock);
}

/* The message without the part before the colon, which may be a path. */
static const char* message(uv_lib_t* library) {
  const char* text = uv_dlerror(library);
  const char* colon = strchr(text, ':');
  return colon == NULL ? text : colon;
}

static void libraries(void) {
  uv_lib_t library;
  void* found = NULL;
  printf("library %d", uv_dlopen("/nowhere.so", &library));
  printf(" [%s]", message(&library));
  uv_dlclose(&library);
  printf(" [%s]", message(&library));
  printf(" %d", uv_dlopen(NULL, &library));
  printf(" [%s]", message(&library));
  printf(" %d %d", uv_dlsym(&library, "strlen", &found), found != NULL);
  printf(" %d", uv_dlsym(&library, "there_is_no_such_name", &found));
  printf(" %d [%s]", found == NULL, message(&library));
  printf(" %d [%s]\n", uv_dlsym(&library, "strlen", &found), message(&library));
  uv_dlclose(&library);
  uv_dlclose(&library);
}

int main(void) {
  threads();
  scheduling();
  locks();
  libraries();
  return 0;
}
