/*
 * A disk that forgets what was not flushed. Preloaded into every process that uses a data folder, it keeps beside it
 * what a power cut would leave:
 *
 *   $DISK/content/INODE  the content of a file when its last flush was called; it is put there when that flush ends
 *   $DISK/names/INODE    the entries of a folder likewise, one a line: INODE f|d NAME
 *   $DISK/lost/INODE     one byte a page of a file: 1 if a failed flush left the page out, until it is written again;
 *                        INODE.turn is a lock
 *   $DISK/failing        as many bytes as flushes of a `-wal` file are to fail from now on
 *   $DISK/failed         as many bytes as such flushes have failed
 *   $DISK/in-loop        as many bytes as flushes were called by the first thread of a process, whose event loop waits
 *
 * A flush fails as on ext4 and XFS since Linux 4.13: its pages count as clean, so a later flush leaves them out, and each
 * descriptor that was open hears of the error once (errseq_t). The memory that SQLite shares (`-shm`) is never kept.
 *
 *   $DISK_OF     the data folder, an absolute path without symbolic links
 *   $DISK        the folder of what is kept, with its three folders
 *   $DISK_DELAY  what each flush takes longer, in microseconds, so that more happens meanwhile
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096
#define DESCRIPTORS 65536
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

struct bytes {
  char *at;
  size_t size;
};

static const char *data_folder, *disk;
static long delay;
/* How many failed flushes a descriptor has heard of. */
static size_t heard[DESCRIPTORS];

__attribute__((constructor)) static void begin(void) {
  data_folder = getenv("DISK_OF");
  disk = getenv("DISK");
  const char *microseconds = getenv("DISK_DELAY");
  delay = microseconds ? atol(microseconds) : 0;
}

static char *path_of(char *path, const char *kind, unsigned long inode) {
  snprintf(path, PATH_MAX, "%s/%s/%lu", disk, kind, inode);
  return path;
}

/* Whether a descriptor is of the data folder, and its path. */
static int is_watched(int fd, char *path) {
  if (!data_folder || !disk) return 0;
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  size_t prefix = strlen(data_folder);
  if (strncmp(path, data_folder, prefix) || (path[prefix] && path[prefix] != '/')) return 0;
  return !strstr(path, "-shm");
}

static int is_log(int fd, char *path) { return is_watched(fd, path) && strstr(path, "-wal"); }

/* SQLite and Node may have `write` and `open` from here, too: what is below writes without them. */
static void put(const char *path, struct bytes bytes, int flags) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
  for (size_t done = 0; done < bytes.size;) {
    long written = syscall(SYS_write, fd, bytes.at + done, bytes.size - done);
    if (written <= 0) abort();
    done += (size_t)written;
  }
  close(fd);
}

static struct bytes get(const char *path) {
  struct bytes bytes = {calloc(1, 1), 0};
  struct stat file;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return bytes;
  fstat(fd, &file);
  bytes.at = realloc(bytes.at, (size_t)file.st_size + 1);
  ssize_t part;
  while (bytes.size < (size_t)file.st_size &&
         (part = pread(fd, bytes.at + bytes.size, (size_t)file.st_size - bytes.size, (off_t)bytes.size)) > 0)
    bytes.size += (size_t)part;
  close(fd);
  return bytes;
}

/* The flushes of one file follow one another, in whatever process. */
static int take_turn(unsigned long inode) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/lost/%lu.turn", disk, inode);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  while (flock(fd, LOCK_EX) && errno == EINTR) continue;
  return fd;
}

static size_t failures(void) {
  char path[PATH_MAX];
  struct stat file = {0};
  snprintf(path, sizeof path, "%s/failed", disk);
  stat(path, &file);
  return (size_t)file.st_size;
}

/* Whether this flush is to fail. */
static int begins_to_fail(void) {
  char failing[PATH_MAX], failed[PATH_MAX];
  struct stat file;
  snprintf(failing, sizeof failing, "%s/failing", disk);
  snprintf(failed, sizeof failed, "%s/failed", disk);
  if (stat(failing, &file) || file.st_size == 0) return 0;
  if (truncate(failing, file.st_size - 1)) abort();
  put(failed, (struct bytes){"x", 1}, O_APPEND);
  return 1;
}

/* The bytes of a page, and how many there are. */
static size_t page(struct bytes of, size_t number, char **at) {
  size_t from = number * PAGE;
  *at = of.at + from;
  return from >= of.size ? 0 : of.size - from < PAGE ? of.size - from : PAGE;
}

/* A flush has failed: what differs from the disk counts as clean. */
static void lose(unsigned long inode, struct bytes now) {
  char content[PATH_MAX], lost[PATH_MAX], *here, *there;
  struct bytes kept = get(path_of(content, "content", inode)), before = get(path_of(lost, "lost", inode));
  size_t count = (now.size + PAGE - 1) / PAGE;
  struct bytes marks = {calloc(count + 1, 1), count};
  for (size_t n = 0; n < count; n += 1) {
    size_t length = page(now, n, &here);
    int is_same = page(kept, n, &there) == length && !memcmp(here, there, length);
    marks.at[n] = !is_same || (n < before.size && before.at[n]);
  }
  put(lost, marks, O_TRUNC);
  free(kept.at), free(before.at), free(marks.at);
}

/* Gives pages that count as clean the content that the disk has. */
static void leave_out_lost(unsigned long inode, struct bytes now) {
  char content[PATH_MAX], lost[PATH_MAX], *here, *there;
  struct bytes marks = get(path_of(lost, "lost", inode));
  struct bytes kept = get(path_of(content, "content", inode));
  for (size_t n = 0; n < marks.size; n += 1) {
    size_t length = page(now, n, &here);
    if (!marks.at[n] || length == 0) continue;
    size_t old = page(kept, n, &there);
    memset(here, 0, length);
    memcpy(here, there, old < length ? old : length);
  }
  free(kept.at), free(marks.at);
}

static struct bytes entries_of(const char *folder) {
  struct bytes lines = {NULL, 0};
  FILE *out = open_memstream(&lines.at, &lines.size);
  DIR *entries = opendir(folder);
  struct dirent *entry;
  struct stat file;
  while (entries && (entry = readdir(entries))) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || strstr(entry->d_name, "-shm")) continue;
    if (fstatat(dirfd(entries), entry->d_name, &file, AT_SYMLINK_NOFOLLOW)) continue;
    fprintf(out, "%lu %c %s\n", (unsigned long)file.st_ino, S_ISDIR(file.st_mode) ? 'd' : 'f', entry->d_name);
  }
  if (entries) closedir(entries);
  fclose(out);
  return lines;
}

static int flush(int fd, int (*next)(int)) {
  char path[PATH_MAX], self[32], to[PATH_MAX], staged[PATH_MAX + 16], in_loop[PATH_MAX];
  struct stat file;
  if (!is_watched(fd, path) || fstat(fd, &file)) return next(fd);
  int is_folder = S_ISDIR(file.st_mode);
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  path_of(to, is_folder ? "names" : "content", file.st_ino);
  snprintf(staged, sizeof staged, "%s.%d", to, gettid());
  snprintf(in_loop, sizeof in_loop, "%s/in-loop", disk);
  if (gettid() == getpid()) put(in_loop, (struct bytes){"x", 1}, O_APPEND);
  int turn = take_turn(file.st_ino), is_failed = 0;
  struct bytes now = is_folder ? entries_of(path) : get(self);
  if (strstr(path, "-wal")) {
    if (begins_to_fail()) lose(file.st_ino, now), is_failed = 1;
    else is_failed = heard[fd % DESCRIPTORS] < failures();
    heard[fd % DESCRIPTORS] = failures();
  }
  if (!is_failed) leave_out_lost(file.st_ino, now), put(staged, now, O_TRUNC);
  free(now.at);
  if (delay) usleep((useconds_t)delay);
  int result = is_failed ? -1 : next(fd);
  if (result == 0) rename(staged, to);
  close(turn);
  if (is_failed) errno = EIO;
  return result;
}

/* What is written again will be flushed again. */
static ssize_t written(int fd, ssize_t size, off_t at) {
  char path[PATH_MAX], lost[PATH_MAX];
  struct stat file;
  if (size <= 0 || !is_log(fd, path) || fstat(fd, &file)) return size;
  int marks = (int)syscall(SYS_openat, AT_FDCWD, path_of(lost, "lost", file.st_ino), O_WRONLY | O_CLOEXEC, 0);
  if (marks < 0) return size;
  fstat(marks, &file);
  for (off_t n = at / PAGE; n <= (at + size - 1) / PAGE && n < file.st_size; n += 1)
    syscall(SYS_pwrite64, marks, "", (size_t)1, n);
  close(marks);
  return size;
}

static int opened(int fd) {
  char path[PATH_MAX];
  if (fd >= 0 && is_log(fd, path)) heard[fd % DESCRIPTORS] = failures();
  return fd;
}

#define OPEN(name)                                                    \
  int name(const char *path, int flags, ...) {                        \
    int mode = 0;                                                     \
    if (flags & (O_CREAT | O_TMPFILE)) {                              \
      va_list more;                                                   \
      va_start(more, flags);                                          \
      mode = va_arg(more, int);                                       \
      va_end(more);                                                   \
    }                                                                 \
    return opened(NEXT(name)(path, flags, mode));                     \
  }
#define WRITE(name, offset) \
  ssize_t name(int fd, const void *bytes, size_t size, offset at) { return written(fd, NEXT(name)(fd, bytes, size, at), at); }

OPEN(open)
OPEN(open64)
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)
int fsync(int fd) { return flush(fd, NEXT(fsync)); }
int fdatasync(int fd) { return flush(fd, NEXT(fdatasync)); }
