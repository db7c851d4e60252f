/* A disk that fails, for the proof test/run/run/disk-errors.test.ts: preloaded (LD_PRELOAD) into a process,
 * it answers some of its calls on some of its files with an error, as a full or broken disk does.
 *
 *   DISK_FAULT_FILE   part of the path of the files that it strikes
 *   DISK_FAULT_ERRNO  what the calls fail with: ENOSPC, EDQUOT, EIO, EROFS; SHORT: half of the bytes are
 *                     written first, then ENOSPC
 *   DISK_FAULT_AFTER  so many calls on such files get through; all later ones fail
 *   DISK_FAULT_COUNT  a file that takes the number of those calls when the process ends
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static atomic_int cut_short;

static int matches(const char *path) {
  const char *part = getenv("DISK_FAULT_FILE");
  return part != NULL && path != NULL && strstr(path, part) != NULL;
}

static int fault(void) {
  const char *name = getenv("DISK_FAULT_ERRNO");
  const char *after = getenv("DISK_FAULT_AFTER");
  if (atomic_fetch_add(&calls, 1) < (after == NULL ? 0 : atol(after))) return 0;
  if (name == NULL) return 0;
  if (strcmp(name, "EDQUOT") == 0) return EDQUOT;
  if (strcmp(name, "EIO") == 0) return EIO;
  if (strcmp(name, "EROFS") == 0) return EROFS;
  return ENOSPC;
}

static int fault_of_path(const char *path) { return matches(path) ? fault() : 0; }

static int fault_of_file(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fault_of_path(path);
}

/* Whether this failing write shall take half of its bytes: the first one of a disk that is SHORT. */
static int takes_half(void) {
  const char *name = getenv("DISK_FAULT_ERRNO");
  return name != NULL && strcmp(name, "SHORT") == 0 && atomic_exchange(&cut_short, 1) == 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL(error) return errno = (error), -1

ssize_t write(int fd, const void *bytes, size_t count) {
  int error = fd > 2 ? fault_of_file(fd) : 0;
  if (error != 0 && !(takes_half() && count > 1)) FAIL(error);
  return REAL(write)(fd, bytes, error != 0 ? count / 2 : count);
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  int error = fault_of_file(fd);
  if (error != 0 && !(takes_half() && count > 1)) FAIL(error);
  return REAL(pwrite)(fd, bytes, error != 0 ? count / 2 : count, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  int error = fault_of_file(fd);
  if (error != 0 && !(takes_half() && count > 1)) FAIL(error);
  return REAL(pwrite64)(fd, bytes, error != 0 ? count / 2 : count, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  int error = fd > 2 ? fault_of_file(fd) : 0;
  if (error != 0) FAIL(error);
  return REAL(writev)(fd, parts, count);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  int error = fault_of_file(fd);
  if (error != 0) FAIL(error);
  return REAL(pwritev)(fd, parts, count, at);
}
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t count, unsigned flags) {
  int error = fault_of_file(out);
  if (error != 0) FAIL(error);
  return REAL(copy_file_range)(in, from, out, to, count, flags);
}
int fsync(int fd) {
  int error = fault_of_file(fd);
  if (error != 0) FAIL(error);
  return REAL(fsync)(fd);
}
int fdatasync(int fd) {
  int error = fault_of_file(fd);
  if (error != 0) FAIL(error);
  return REAL(fdatasync)(fd);
}
int ftruncate(int fd, off_t length) {
  int error = fault_of_file(fd);
  if (error != 0) FAIL(error);
  return REAL(ftruncate)(fd, length);
}
int ftruncate64(int fd, off64_t length) {
  int error = fault_of_file(fd);
  if (error != 0) FAIL(error);
  return REAL(ftruncate64)(fd, length);
}
int posix_fallocate(int fd, off_t at, off_t length) {
  int error = fault_of_file(fd);
  return error != 0 ? error : REAL(posix_fallocate)(fd, at, length);
}
int rename(const char *from, const char *to) {
  int error = fault_of_path(to);
  if (error != 0) FAIL(error);
  return REAL(rename)(from, to);
}
int link(const char *from, const char *to) {
  int error = fault_of_path(to);
  if (error != 0) FAIL(error);
  return REAL(link)(from, to);
}
int mkdir(const char *path, mode_t mode) {
  int error = fault_of_path(path);
  if (error != 0) FAIL(error);
  return REAL(mkdir)(path, mode);
}

#define OPEN(name)                                             \
  int name(const char *path, int flags, ...) {                 \
    va_list rest;                                              \
    va_start(rest, flags);                                     \
    mode_t mode = va_arg(rest, int);                           \
    va_end(rest);                                              \
    int error = (flags & O_CREAT) ? fault_of_path(path) : 0;   \
    if (error != 0) FAIL(error);                               \
    return REAL(name)(path, flags, mode);                      \
  }
OPEN(open)
OPEN(open64)

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("DISK_FAULT_COUNT");
  FILE *file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%ld", atomic_load(&calls));
  fclose(file);
}
