// SPDX-License-Identifier: GPL-2.0-or-later
#include "properties/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "properties/case_file.hpp"

namespace elvcheck {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError(path + ": cannot write: " + std::strerror(error) + "; give a path in a directory that can be written");
}

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Writes and closes; the first error. Pipes and devices cannot be synced, which is no error.
int write_and_close(int fd, std::string_view text) {
  int error = write_all(fd, text);
  if (error == 0 && ::fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP) error = errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

void write_file_atomically(const std::string& path, std::string_view text) {
  struct stat status {};
  std::string target = path;
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
    if (!S_ISREG(status.st_mode)) {
      const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd < 0) fail(path, errno);
      if (const int error = write_and_close(fd, text); error != 0) fail(path, error);
      return;
    }
    const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
    if (resolved != nullptr) target = resolved.get();
  }
  const std::string temporary = target + ".tmp." + std::to_string(::getpid());
  ::unlink(temporary.c_str());  // left by a process of the same number that was killed
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) fail(path, errno);
  int error = write_and_close(fd, text);
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(path, error);
  }
}

}  // namespace elvcheck
