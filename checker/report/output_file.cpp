// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/report/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "properties/case_file.hpp"

namespace elvcheck {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  struct stat status {};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    fd_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail(errno);
    return;
  }
  if (exists && access(path_.c_str(), W_OK) != 0) fail(errno);
  temporary_ = path_ + ".XXXXXX";
  fd_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd_ < 0) {
    temporary_.clear();
    fail(errno);
  }
  // mkostemp() gives 0600; a report has the mode of the file it replaces, or that of any new file.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(fd_, exists ? status.st_mode & 07777 : 0666 & ~mask);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::fail(int error) { throw InputError(path_ + ": cannot write: " + std::strerror(error)); }

void OutputFile::commit(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  const int fd = fd_;
  fd_ = -1;
  if (close(fd) != 0) fail(errno);
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

OutputFolder::OutputFolder(const std::string& path) : path_(path) {
  if (path.empty()) return;
  std::error_code error;
  made_ = std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw InputError(path + ": cannot make the folder: " + error.message());
  if (access(path.c_str(), W_OK | X_OK) != 0) throw InputError(path + ": cannot write: " + std::strerror(errno));
}

OutputFolder::~OutputFolder() {
  std::error_code error;
  if (made_) std::filesystem::remove(path_, error);  // fails if there is something in it
}

}  // namespace elvcheck
