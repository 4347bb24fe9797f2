// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/trace_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace elvcheck::kernel {

namespace {

std::string without_addresses(std::string text) {
  for (auto at = text.find("0x"); at != std::string::npos; at = text.find("0x", at + 3)) {
    auto end = at + 2;
    while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    text.replace(at, end - at, "0x*");
  }
  return text;
}

/// Lines in a file that only its descriptor knows: they are there after a crash.
class Transcript final : public TraceListener {
 public:
  Transcript() : file_(std::tmpfile(), &std::fclose) {
    if (file_ == nullptr) throw std::system_error(errno, std::generic_category(), "no temporary file can be made");
  }
  void on_event(const TraceEvent& event) override {
    if (event.kind != EventKind::note) add(to_line(event) + "\n");  // the log says it in words
  }
  void add(const std::string& line) {
    if (::write(fileno(file_.get()), line.data(), line.size()) < 0)
      throw std::system_error(errno, std::generic_category(), "a transcript");
  }
  std::string read() {
    std::string text;
    char bytes[1 << 14];
    std::rewind(file_.get());
    for (std::size_t got = 0; (got = std::fread(bytes, 1, sizeof bytes, file_.get())) > 0;) text.append(bytes, got);
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace

std::string log_line(Nanoseconds at, const std::string& text) {
  return fmt::format("{:13.6f} ms  {}\n", std::chrono::duration<double, std::milli>(at).count(), without_addresses(text));
}

std::string trace_text(KernelSet& kernel, const Scenario& scenario, const ContainLimits& limits) {
  Transcript transcript;
  std::string end;
  try {
    run_contained(
        1,
        [&](std::uint64_t) {
          const BehindTheSeam seam(kernel.seam([&](Nanoseconds at, const std::string& text) {
            transcript.add(log_line(at, kernel.scheduler() + ": " + text));
          }));
          Machine machine(scenario);
          machine.trace().add(transcript);
          machine.run();
          return std::string();
        },
        [](std::uint64_t, const std::string&) {},
        [&](std::uint64_t, const Accident& accident) { end = "the kernel's code did not go on: " + accident.text + "\n"; },
        limits);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
  return transcript.read() + end;
}

}  // namespace elvcheck::kernel
