// Preloaded into a service under test: a disk that can fail to take bytes, as Linux shows it.
//
// Files whose path contains TRACK have an image in the folder IMAGES that holds what is "on the disk". A flush copies the bytes written since
// the last flush into the image. While the file FAIL exists, flushes of the files that it names fail with EIO, and the bytes they should have
// written never reach the image, unless they are written again: Linux marks them clean and reports the failure once. FAIL holds the end of a
// path, or a part of it that ends in a slash.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct range {
  char path[512];
  off_t at;
  size_t length;
  struct range *next;
};

static struct range *dirty;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int path_of(int fd, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return 1;
}

static int is_tracked(const char *path) {
  const char *track = getenv("TRACK");
  return track && strstr(path, track) != NULL;
}

static void image_of(const char *path, char *image, size_t size) {
  const char *name = strrchr(path, '/');
  snprintf(image, size, "%s%s", getenv("IMAGES"), name ? name : path);
}

static void note(int fd, off_t at, ssize_t length) {
  char path[512];
  if (length <= 0 || !path_of(fd, path, sizeof path) || !is_tracked(path)) return;
  struct range *range = malloc(sizeof *range);
  strcpy(range->path, path);
  range->at = at;
  range->length = (size_t)length;
  pthread_mutex_lock(&lock);
  range->next = dirty;
  dirty = range;
  pthread_mutex_unlock(&lock);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  ssize_t written = REAL(pwrite64)(fd, bytes, length, at);
  note(fd, at, written);
  return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  return pwrite64(fd, bytes, length, at);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  ssize_t written = REAL(pwritev64)(fd, parts, count, at);
  note(fd, at, written);
  return written;
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  return pwritev64(fd, parts, count, at);
}

int ftruncate64(int fd, off64_t length) {
  char path[512], image[1024];
  int result = REAL(ftruncate64)(fd, length);
  if (result == 0 && path_of(fd, path, sizeof path) && is_tracked(path)) {
    image_of(path, image, sizeof image);
    if (truncate(image, length) != 0) errno = 0;
  }
  return result;
}

int ftruncate(int fd, off_t length) {
  return ftruncate64(fd, length);
}

static void copy(const struct range *range) {
  char image[1024], bytes[65536];
  image_of(range->path, image, sizeof image);
  int from = open(range->path, O_RDONLY), to = open(image, O_WRONLY | O_CREAT, 0600);
  for (size_t done = 0; from >= 0 && to >= 0 && done < range->length;) {
    size_t step = range->length - done < sizeof bytes ? range->length - done : sizeof bytes;
    ssize_t length = pread(from, bytes, step, range->at + (off_t)done);
    if (length <= 0) break;
    REAL(pwrite64)(to, bytes, (size_t)length, range->at + (off_t)done);
    done += (size_t)length;
  }
  if (from >= 0) close(from);
  if (to >= 0) close(to);
}

static int fails(const char *path) {
  char part[512];
  const char *control = getenv("FAIL");
  int fd = control ? open(control, O_RDONLY) : -1;
  if (fd < 0) return 0;
  ssize_t length = read(fd, part, sizeof part - 1);
  close(fd);
  if (length <= 0) return 0;
  part[length] = 0;
  if (part[length - 1] == '/') return strstr(path, part) != NULL;
  size_t whole = strlen(path);
  return whole >= (size_t)length && strcmp(path + whole - length, part) == 0;
}

static int flush(int fd, int (*real)(int)) {
  char path[512];
  if (!path_of(fd, path, sizeof path)) return real(fd);
  int failed = fails(path);
  pthread_mutex_lock(&lock);
  // Oldest first is not needed: all ranges are read from the file as it is now.
  for (struct range **at = &dirty; *at;) {
    struct range *range = *at;
    if (strcmp(range->path, path) != 0) {
      at = &range->next;
      continue;
    }
    if (!failed) copy(range);
    *at = range->next;
    free(range);
  }
  pthread_mutex_unlock(&lock);
  if (!failed) return real(fd);
  errno = EIO;
  return -1;
}

int fsync(int fd) {
  return flush(fd, REAL(fsync));
}

int fdatasync(int fd) {
  return flush(fd, REAL(fdatasync));
}
