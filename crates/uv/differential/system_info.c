/* Users, groups, processes, and information about the machine. */
#include "common.h"

int main(void) {
  uv_passwd_t user;
  printf("users %d %d", uv_os_get_passwd(NULL), uv_os_get_passwd2(NULL, 0));
  printf(" %d", uv_os_get_passwd(&user));
  printf(" %s %lu %lu %s %s", user.username, user.uid, user.gid, user.shell, user.homedir);
  uv_os_free_passwd(&user);
  printf(" %d", user.username == NULL && user.shell == NULL && user.homedir == NULL);
  uv_os_free_passwd(&user);
  uv_os_free_passwd(NULL);
  for (unsigned uid = 0; uid < 10; uid++) {
    int status = uv_os_get_passwd2(&user, uid);
    printf("\n%u %d", uid, status);
    if (status == 0) {
      printf(" %s %s %s", user.username, user.shell, user.homedir);
      uv_os_free_passwd(&user);
    }
  }
  printf("\nnobody %d %d\n", uv_os_get_passwd2(&user, 4242424), uv_os_get_passwd2(&user, -1));

  uv_group_t group;
  printf("groups %d %d %d", uv_os_get_group(NULL, 0), uv_os_get_group(&group, -1), uv_os_get_group(&group, 4242424));
  for (unsigned gid = 0; gid < 130; gid++) {
    int status = uv_os_get_group(&group, gid);
    if (status != 0)
      continue;
    printf("\n%u %s %lu", gid, group.groupname, group.gid);
    for (char** member = group.members; *member != NULL; member++)
      printf(" %s", *member);
    uv_os_free_group(&group);
    uv_os_free_group(&group);
  }
  uv_os_free_group(NULL);

  int priority = 99;
  printf("\npriorities %d %d %d %d %d %d", uv_os_getpriority(0, NULL), uv_os_getpriority(-1, &priority),
         uv_os_getpriority(4194309, &priority), uv_os_setpriority(0, -21), uv_os_setpriority(0, 20),
         uv_os_setpriority(-1, 0));
  printf(" %d", uv_os_setpriority(0, 3));
  printf(" %d", uv_os_getpriority(0, &priority));
  printf(" %d\n", priority);
  printf("kill %d %d %d %d\n", uv_kill(getpid(), 0), uv_kill(getpid(), -1), uv_kill(4194309, 0), uv_kill(getpid(), 1000));
  printf("pid %d %d\n", uv_os_getpid() == getpid(), uv_os_getppid() == getppid());

  uv_utsname_t names;
  memset(&names, 'x', sizeof(names));
  printf("uname %d %d", uv_os_uname(NULL), uv_os_uname(&names));
  printf(" %s %s %s %s\n", names.sysname, names.release, names.version, names.machine);

  uv_cpu_info_t* cpus;
  int count;
  printf("cpus %d", uv_cpu_info(&cpus, &count));
  for (int i = 0; i < count; i++)
    printf(" %s %d", cpus[i].model, cpus[i].speed);
  uv_free_cpu_info(cpus, count);
  uv_free_cpu_info(NULL, 0);
  printf("\nmask %d parallel %u\n", uv_cpumask_size(), uv_available_parallelism());
  printf("memory %llu %llu %d %d\n", (unsigned long long) uv_get_total_memory(),
         (unsigned long long) uv_get_constrained_memory(), uv_get_free_memory() > 0, uv_get_available_memory() > 0);

  uv_timespec64_t time;
  uv_timeval64_t day;
  printf("clocks %d %d %d %d %d\n", uv_clock_gettime(0, NULL), uv_clock_gettime(2, &time), uv_clock_gettime(-1, &time),
         uv_clock_gettime(0, &time), uv_clock_gettime(1, &time));
  printf("day %d %d\n", uv_gettimeofday(NULL), uv_gettimeofday(&day));

  uv_rusage_t usage;
  memset(&usage, 'x', sizeof(usage));
  printf("usage %d", uv_getrusage(&usage));
  printf(" %d %llu %llu %llu\n", usage.ru_maxrss > 500, (unsigned long long) usage.ru_ixrss,
         (unsigned long long) usage.ru_nswap, (unsigned long long) usage.ru_nsignals);
  printf("of the thread %d\n", uv_getrusage_thread(&usage));
  size_t resident = 0;
  double uptime = 0, load[3] = {-1, -1, -1};
  printf("resident %d", uv_resident_set_memory(&resident));
  printf(" %d", resident > 500000 && resident % getpagesize() == 0);
  printf(" uptime %d", uv_uptime(&uptime));
  uv_loadavg(load);
  printf(" %d %d\n", uptime > 1, load[0] >= 0 && load[1] >= 0 && load[2] >= 0);
  return 0;
}
