// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/recording/recording.hpp"

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "reference/recording/raw_event.hpp"
#include "reference/recording/text.hpp"

namespace elvcheck {

using namespace recording_detail;
namespace fs = std::filesystem;

namespace {

/// The most that is read of one recording, after decompression.
constexpr std::size_t max_bytes = std::size_t{1} << 30;

/// The content of a file, decompressed if it is gzip.
std::string load(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw InputError(path + ": cannot be opened; check the name and the permission to read it");
  std::string content;
  std::string piece(std::size_t{1} << 18, '\0');
  for (;;) {
    const int got = gzread(file.get(), piece.data(), static_cast<unsigned>(piece.size()));
    int error = Z_OK;
    const char* message = gzerror(file.get(), &error);
    if (got < 0 || (error != Z_OK && error != Z_STREAM_END))
      throw InputError(path + ": cannot be read to its end (" + (error == Z_BUF_ERROR ? "the gzip stream is cut" : message) +
                       "); copy it again");
    if (got == 0) return content;
    content.append(piece, 0, static_cast<std::size_t>(got));
    if (content.size() > max_bytes)
      throw InputError(path + ": more than 1 GiB of recording; read a part of it (blkparse -w, or a shorter run)");
  }
}

bool looks_like_blktrace(std::string_view content) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(content[i]); };
  return content.size() >= 4 && ((byte(1) == 0x74 && byte(2) == 0x61 && byte(3) == 0x65) ||
                                 (byte(0) == 0x65 && byte(1) == 0x61 && byte(2) == 0x74));
}

/// The first line that is neither blank nor a comment.
std::string_view first_line(std::string_view content) {
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    const std::string_view line = content.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos && line.front() != '#') return line;
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return {};
}

std::optional<RecordingFormat> recognise(std::string_view content) {
  if (looks_like_blktrace(content)) return RecordingFormat::blktrace_binary;
  if (content.starts_with("fio version ")) return RecordingFormat::fio_iolog;
  if (content.starts_with("# tracer:")) return RecordingFormat::ftrace_text;
  const std::string_view line = first_line(content);
  if (to_device(Words(line).next()) || line.starts_with("Input file ")) return RecordingFormat::blkparse_text;
  if (line.starts_with("cpus=") || line.starts_with("version = ") || line.starts_with("CPU ") || line.starts_with("CPU:") ||
      line.find(": block_") != std::string_view::npos || (line.find(" [0") != std::string_view::npos))
    return RecordingFormat::ftrace_text;
  return std::nullopt;
}

void parse_into(std::string_view content, const std::string& name, RawRecording& raw) {
  if (content.empty()) throw InputError(name + ": the file is empty; record again");
  const auto format = recognise(content);
  if (!format)
    throw InputError(
        name +
        ":1: not a recording that is read; give the text of blkparse, the files of blktrace, the text of ftrace's "
        "block events, or a fio iolog");
  switch (*format) {
    case RecordingFormat::blktrace_binary:
      return parse_blktrace(content, name, raw);
    case RecordingFormat::blkparse_text:
      return parse_blkparse(content, name, raw);
    case RecordingFormat::ftrace_text:
      return parse_ftrace(content, name, raw);
    case RecordingFormat::fio_iolog:
      return parse_fio_iolog(content, name, raw);
  }
}

/// NAME of NAME.blktrace.N or NAME.blktrace.N.gz; nothing otherwise.
std::optional<std::string> blktrace_prefix(std::string file_name) {
  if (file_name.ends_with(".gz")) file_name.resize(file_name.size() - 3);
  const std::size_t mark = file_name.rfind(".blktrace.");
  if (mark == std::string::npos || mark == 0 || !to_number<unsigned>(std::string_view(file_name).substr(mark + 10)))
    return std::nullopt;
  return file_name.substr(0, mark);
}

/// The per-CPU files in a directory, with the given prefix or any, in order of name.
std::vector<std::string> per_cpu_files(const fs::path& directory, const std::string& prefix) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const auto name = blktrace_prefix(at->path().filename().string());
    if (name && (prefix.empty() || *name == prefix)) found.push_back(at->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Recording read_files(const std::vector<std::string>& files, const std::string& name, const ReadOptions& options) {
  RawRecording raw;
  for (const std::string& file : files) {
    const std::string content = load(file);
    if (content.empty()) continue;  // a CPU without events
    if (!looks_like_blktrace(content))
      throw InputError(file + ": byte 0: no blktrace record; remove the file or give another prefix");
    parse_blktrace(content, file, raw);
  }
  return assemble(std::move(raw), name, options);
}

}  // namespace

std::string_view to_string(RecordingFormat format) {
  switch (format) {
    case RecordingFormat::blkparse_text:
      return "blkparse text";
    case RecordingFormat::blktrace_binary:
      return "blktrace binary";
    case RecordingFormat::ftrace_text:
      return "ftrace text";
    case RecordingFormat::fio_iolog:
      return "fio iolog";
  }
  return "?";
}

std::string to_string(DeviceNumber device) { return std::to_string(device.major) + "," + std::to_string(device.minor); }

Recording parse_recording(std::string_view content, const std::string& name, const ReadOptions& options) {
  RawRecording raw;
  parse_into(content, name, raw);
  return assemble(std::move(raw), name, options);
}

Recording read_recording(const std::string& path, const ReadOptions& options) {
  std::error_code error;
  const fs::path place(path);
  if (fs::is_directory(place, error)) {
    const auto files = per_cpu_files(place, "");
    if (files.empty()) throw InputError(path + ": a directory without NAME.blktrace.N files; give the recording itself");
    return read_files(files, path, options);
  }
  if (!fs::exists(place, error)) {
    const auto files =
        per_cpu_files(place.has_parent_path() ? place.parent_path() : fs::path("."), place.filename().string());
    if (files.empty()) throw InputError(path + ": there is no such file, nor " + path + ".blktrace.0; check the name");
    return read_files(files, path, options);
  }
  Recording recording = parse_recording(load(path), path, options);
  if (const auto prefix = blktrace_prefix(place.filename().string())) {
    const auto files = per_cpu_files(place.has_parent_path() ? place.parent_path() : fs::path("."), *prefix);
    if (files.size() > 1)
      recording.warnings.push_back("only this CPU's file was read; give the prefix " + *prefix + " to read all " +
                                   std::to_string(files.size()));
  }
  return recording;
}

}  // namespace elvcheck
