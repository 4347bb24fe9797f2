// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/recording/settings.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "reference/recording/text.hpp"

namespace elvcheck {

using namespace recording_detail;

namespace {

constexpr std::uintmax_t max_bytes = 1 << 20;

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : lines_(text, name), name_(name) { out_.path = name; }

  RecordingSettings run() {
    bool settings = false;
    bool fence = false;
    std::string_view line;
    while (lines_.next(line)) {
      if (line.starts_with("Kernel:")) kernel(line);
      if (line == "Settings:") {
        settings = true;
      } else if (settings && line.starts_with("```")) {
        if (fence) break;
        fence = true;
      } else if (fence) {
        setting(line);
      }
    }
    if (!fence) fail("there is no line 'Settings:' with a fenced block after it; add it, or remove the file");
    device();
    return out_;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { fail_at(name_, lines_.number(), message); }

  std::int64_t integer(std::string_view text, std::int64_t min, std::int64_t max) const {
    const auto value = to_number<std::int64_t>(text);
    if (!value || *value < min || *value > max)
      fail("expected a number from " + std::to_string(min) + " to " + std::to_string(max) + ", found " + quoted(text));
    return *value;
  }

  void kernel(std::string_view line) {
    const std::size_t mark = line.find("HZ=");
    if (mark == std::string_view::npos) return;
    const std::string_view digits = line.substr(mark + 3);
    const std::string_view hz = digits.substr(0, digits.find_first_not_of("0123456789"));
    const std::int64_t value = integer(hz, 24, 1000);
    out_.block.hz = static_cast<unsigned>(value);
  }

  void setting(std::string_view line) {
    Words words(line);
    const std::string_view name = words.next();
    const std::string_view value = words.rest();
    if (name == "scheduler") {
      const std::size_t open = value.find('[');
      const std::size_t close = value.find(']');
      if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        fail("the scheduler in use must stand in brackets, as in '[mq-deadline] none', found " + quoted(value));
      out_.scheduler = value.substr(open + 1, close - open - 1);
    } else if (name == "nr_requests") {
      out_.block.nr_requests = static_cast<unsigned>(integer(value, 1, 1 << 20));
    } else if (name == "nomerges") {
      out_.block.nomerges = static_cast<unsigned>(integer(value, 0, 2));
    } else if (name == "max_sectors_kb") {
      out_.block.max_sectors = static_cast<unsigned>(integer(value, 1, 1 << 22)) * 2;
    } else if (name == "max_segments") {
      out_.block.max_segments = static_cast<unsigned>(integer(value, 1, 65535));
    } else if (name.starts_with("iosched/")) {
      out_.tunables.push_back({std::string(name.substr(8)), integer(value, INT64_MIN, INT64_MAX)});
    } else if (name == "rotational" || name.starts_with("null_blk.") || name.starts_with("nullb.") ||
               name.starts_with("scsi_debug.")) {
      numbers_[std::string(name)] = integer(value, INT64_MIN, INT64_MAX);
    } else if (name == "write_cache") {
      write_back_ = value == "write back";
    }
  }

  std::int64_t number(const char* name, std::int64_t otherwise, std::int64_t min, std::int64_t max) const {
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return otherwise;
    if (found->second < min || found->second > max)
      throw InputError(name_ + ": " + name + " is " + std::to_string(found->second) + ", beyond what a device can be (" +
                       std::to_string(min) + " to " + std::to_string(max) + ")");
    return found->second;
  }

  void device() {
    constexpr std::int64_t minute_ns = 60'000'000'000;
    constexpr std::int64_t most_mib = 1 << 22;
    const auto rotational = number("rotational", 1, 0, 1);
    if (numbers_.contains("null_blk.m_model")) {
      DeviceSpec spec{"seek", {}};
      spec.parameters = {
          {"fixed_ns", number("nullb.completion_nsec", 100'000, 0, minute_ns)},
          {"ns_per_kib", number("null_blk.m_ns_per_kb", 10'240, 0, 1'000'000'000)},
          {"seek_min_ns", number("null_blk.m_seek_min_ns", 2'000'000, 0, minute_ns)},
          {"seek_max_ns", number("null_blk.m_seek_max_ns", 12'000'000, 0, minute_ns)},
          {"capacity_sectors", number("nullb.size", 320, 1, most_mib) * 2048},
          {"queue_depth", number("nullb.hw_queue_depth", 1, 1, 1024)},
          {"rotational", rotational},
          {"flush_ns", number("null_blk.m_flush_ns", 5'000'000, 0, minute_ns)},
      };
      if (write_back_) {
        // null_blk's cache understands FUA; its size has no influence on the model's times.
        spec.parameters.push_back({"cache_kib", 16'384});
        spec.parameters.push_back({"fua", 1});
      }
      out_.device = spec;
    } else if (numbers_.contains("scsi_debug.ndelay")) {
      out_.device = DeviceSpec{"flat",
                               {{"service_ns", number("scsi_debug.ndelay", 0, 0, minute_ns)},
                                {"queue_depth", number("scsi_debug.max_queue", 1, 1, 1024)},
                                {"capacity_sectors", number("scsi_debug.dev_size_mb", 8, 1, most_mib) * 2048},
                                {"rotational", rotational},
                                {"volatile_cache", write_back_ ? 1 : 0},
                                {"fua", write_back_ ? 1 : 0}}};
    }
  }

  LineReader lines_;
  const std::string& name_;
  RecordingSettings out_;
  std::map<std::string, std::int64_t, std::less<>> numbers_;
  bool write_back_ = false;
};

/// Cuts `ending` off, with the digits after it if `numbered`. True if it was there.
bool cut(std::string& name, std::string_view ending, bool numbered) {
  std::string_view rest = name;
  if (numbered) {
    const std::size_t last = rest.find_last_not_of("0123456789");
    if (last == std::string_view::npos) return false;
    rest = rest.substr(0, last + 1);
  }
  if (!rest.ends_with(ending) || rest.size() == ending.size()) return false;
  name.resize(rest.size() - ending.size());
  return true;
}

}  // namespace

std::string settings_path(const std::string& recording_path) {
  std::string name = recording_path;
  cut(name, ".gz", false);
  cut(name, ".blkparse.txt", false) || cut(name, ".ftrace.txt", false) || cut(name, ".blktrace.", true) ||
      cut(name, ".iolog", true) || cut(name, ".txt", false);
  return name + ".md";
}

RecordingSettings parse_settings(std::string_view text, const std::string& name) { return Parser(text, name).run(); }

std::optional<RecordingSettings> read_settings(const std::string& recording_path) {
  const std::string path = settings_path(recording_path);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  if (std::filesystem::file_size(path, error) > max_bytes || error)
    throw InputError(path + ": not a settings file (more than 1 MiB); rename it");
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad() || (text.empty() && !file)) throw InputError(path + ": cannot be read; check the permissions");
  if (text.find("\nSettings:") == std::string::npos) return std::nullopt;  // notes of a person, not for this program
  return parse_settings(text, path);
}

}  // namespace elvcheck
