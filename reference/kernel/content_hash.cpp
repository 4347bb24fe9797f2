// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/content_hash.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace elvcheck::kernel {

void ContentHash::add_file(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0) {
    mix(~std::uint64_t{0});
  } else if (status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) {
      add(std::string_view(static_cast<const char*>(bytes), size));
      ::munmap(bytes, size);
    }
  } else {
    mix(0);
  }
  if (file >= 0) ::close(file);
}

std::string ContentHash::text() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[state_ >> shift & 15U];
  return text;
}

}  // namespace elvcheck::kernel
