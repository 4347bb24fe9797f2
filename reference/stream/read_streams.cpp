// SPDX-License-Identifier: GPL-2.0-or-later
#include <zlib.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "properties/case_file.hpp"
#include "reference/stream/stream.hpp"

namespace elvcheck {

namespace {

using nlohmann::json;

Nanoseconds ns(const json& value) { return Nanoseconds(value.get<std::int64_t>()); }

StreamProcess read_process(const json& object) {
  StreamProcess process;
  process.pid = object.at("pid");
  process.ioprio = IoPrio{static_cast<IoClass>(object.at("cls").get<unsigned>() & 3U), object.at("lvl").get<std::uint8_t>()};
  process.kind = static_cast<StreamProcess::Kind>(object.at("kind").get<unsigned>() % 3);
  process.op = object.at("op");
  process.sectors = object.at("n");
  process.depth = object.at("qd");
  process.batch = object.at("batch").get<int>() != 0;
  process.meta = object.at("meta").get<int>() != 0;
  process.think = ns(object.at("think"));
  process.random_think = object.at("tm").get<int>() == 2;
  process.start = ns(object.at("start"));
  process.base = object.at("base");
  process.stride = object.at("stride");
  process.limit = object.at("lim");
  process.seed = std::stoull(object.at("seed").get<std::string>(), nullptr, 16);
  return process;
}

StreamRecording read_stream(const json& object) {
  StreamRecording stream;
  stream.id = object.at("id");
  stream.version = object.at("ver");
  stream.hz = object.at("hz");
  stream.depth = object.at("depth");
  stream.nr_requests = object.value("nr", 0U);
  stream.refuse_every = object.value("req", 0U);
  stream.rotational = object.at("rot").get<int>() != 0;
  stream.device_kind = object.at("dev");
  stream.service = ns(object.at("svc"));
  stream.duration = ns(object.at("dur"));
  for (const auto& [name, value] : object.at("tun").items()) stream.tunables.push_back(NamedValue{name, value.get<std::int64_t>()});
  for (const json& process : object.at("procs")) stream.processes.push_back(read_process(process));
  if (object.contains("groups")) {
    stream.group_scheduling = true;
    for (const json& group : object.at("groups")) stream.groups.push_back(IoGroup{group.at(0), group.at(1)});
    for (std::size_t i = 0; i < stream.processes.size(); ++i) {
      stream.processes[i].group = object.at("pg").at(i);
      if (stream.processes[i].group > stream.groups.size()) throw std::out_of_range("pg names no group");
    }
  }
  if (const json& change = object.at("chg"); !change.is_null()) {
    stream.prio_change = StreamRecording::PrioChange{
        change.at(0), ns(change.at(1)), IoPrio{static_cast<IoClass>(change.at(2).get<unsigned>() & 3U), change.at(3).get<std::uint8_t>()}};
    if (stream.prio_change->process >= stream.processes.size()) throw std::out_of_range("chg names no process");
  }
  if (stream.processes.empty()) throw std::out_of_range("no processes");
  stream.most_issues = object.value("most", stream.most_issues);
  if (object.contains("st")) stream.blocked = object.at("st").value("blk", 0U);
  for (const json& issue : object.at("ev")) {
    stream.issues.push_back(StreamIssue{ns(issue.at(0)), issue.at(1).get<ProcessId>(), issue.at(2).get<Sector>(),
                                        issue.at(3).get<SectorCount>(), issue.at(4).get<int>() != 0, issue.at(5).get<int>() != 0});
  }
  // A stream that was not cut ended with its duration; the model's may not be cut either.
  if (object.contains("cut"))
    stream.most_issues = object.at("cut") != 0 ? stream.issues.size() : std::numeric_limits<std::size_t>::max();
  return stream;
}

}  // namespace

std::vector<StreamRecording> read_streams(const std::string& path) {
  const std::unique_ptr<gzFile_s, decltype(&gzclose)> file(gzopen(path.c_str(), "rb"), &gzclose);
  if (file == nullptr) throw InputError(path + ": cannot be opened; name a file of recorded streams (.jsonl or .jsonl.gz)");
  std::string text;
  std::vector<char> buffer(1 << 16);
  int got = 0;
  while ((got = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()))) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  if (got < 0 || !gzeof(file.get())) throw InputError(path + ": the compressed data are damaged or cut short; get the file again");
  std::vector<StreamRecording> streams;
  std::size_t line = 0;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = text.find('\n', start);
    if (end == std::string::npos) end = text.size();
    ++line;
    if (end > start) {
      try {
        streams.push_back(
            read_stream(json::parse(text.begin() + static_cast<std::ptrdiff_t>(start), text.begin() + static_cast<std::ptrdiff_t>(end))));
        streams.back().plug_each_bio = path.find("-pb.jsonl") != std::string::npos;
      } catch (const std::exception& error) {
        throw InputError(path + ":" + std::to_string(line) + ": not a recorded stream (" + error.what() +
                         "); each line is one JSON object");
      }
    }
    start = end + 1;
  }
  return streams;
}

}  // namespace elvcheck
