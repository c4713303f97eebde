// Preloaded into a server, so that each flush of a file takes longer by SLOW_FLUSH microseconds.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*flush)(int);

static int slowly(const char *name, int file) {
  int result = ((flush)dlsym(RTLD_NEXT, name))(file);
  const char *more = getenv("SLOW_FLUSH");
  if (more) usleep((useconds_t)atoi(more));
  return result;
}

int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
