// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/workload/fio_job.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "model/core/random.hpp"

namespace elvcheck {

namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{1} << 50;
constexpr std::uint64_t max_block = std::uint64_t{1} << 30;
constexpr std::uint64_t max_time_ns = std::uint64_t{1'000'000} * 1'000'000'000;  // eleven days
constexpr std::size_t max_processes = 1024;
constexpr std::size_t max_steps = std::size_t{1} << 17;  // of all programs together
constexpr std::uint64_t region_step = std::uint64_t{1} << 20;

/// Options that say how fio reports, or that make no difference below the file system.
constexpr std::string_view without_effect[] = {"group_reporting",
                                               "description",
                                               "thread",
                                               "invalidate",
                                               "lat_percentiles",
                                               "clat_percentiles",
                                               "slat_percentiles",
                                               "percentile_list",
                                               "significant_figures",
                                               "write_bw_log",
                                               "write_lat_log",
                                               "write_iops_log",
                                               "write_hist_log",
                                               "log_avg_msec",
                                               "log_max_value",
                                               "log_offset",
                                               "log_prio",
                                               "log_hist_msec",
                                               "log_hist_coarseness",
                                               "log_unix_epoch",
                                               "per_job_logs",
                                               "bwavgtime",
                                               "iopsavgtime",
                                               "disable_lat",
                                               "disable_clat",
                                               "disable_slat",
                                               "disable_bw_measurement",
                                               "disable_bw",
                                               "unified_rw_reporting",
                                               "new_group",
                                               "gtod_reduce",
                                               "stats",
                                               "exitall_on_error"};

struct Option {
  std::string value;
  std::size_t line = 0;
};
/// The options of a section by canonical name.
using Options = std::map<std::string, Option, std::less<>>;

struct Section {
  std::string name;
  std::size_t line = 0;
  Options options;
};

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, 60)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > 60 ? "...'" : "'");
}

/// fio's aliases of the options that are read.
std::string canonical(std::string_view name) {
  if (name == "readwrite") return "rw";
  if (name == "blocksize") return "bs";
  return std::string(name);
}

class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  [[noreturn]] void fail(std::size_t line, const std::string& message) const {
    throw FioJobError(name_ + ":" + std::to_string(line) + ": " + message);
  }

  /// The jobs, with the global options in them.
  std::vector<Section> sections(std::string_view text) const {
    std::vector<Section> jobs;
    Options global;
    bool in_global = false;
    std::size_t line_number = 0;
    while (!text.empty()) {
      ++line_number;
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = trim(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.empty() || line.front() == '#' || line.front() == ';') continue;
      if (line.front() == '[') {
        if (line.back() != ']' || line.size() < 3) fail(line_number, "a section is written [NAME], found " + quoted(line));
        const std::string_view name = line.substr(1, line.size() - 2);
        in_global = name == "global";
        if (in_global) continue;
        if (jobs.size() >= max_processes) fail(line_number, "more than " + std::to_string(max_processes) + " jobs");
        jobs.push_back({std::string(name), line_number, global});
        continue;
      }
      if (!in_global && jobs.empty()) fail(line_number, "an option before any section; begin with [global] or [JOBNAME]");
      store(line, line_number, in_global ? global : jobs.back().options);
    }
    if (jobs.empty()) fail(line_number == 0 ? 1 : line_number, "no job in it; add a section [JOBNAME]");
    return jobs;
  }

  std::uint64_t number(const Option& option, const char* what, std::uint64_t min, std::uint64_t max) const {
    std::uint64_t value = 0;
    if (!whole(option.value, value) || value < min || value > max)
      fail(option.line, std::string(what) + " is a number from " + std::to_string(min) + " to " + std::to_string(max) +
                            ", found " + quoted(option.value));
    return value;
  }

  /// A flag: absent value means 1.
  bool flag(const Option& option, const char* what) const { return option.value.empty() || number(option, what, 0, 1) == 1; }

  std::uint64_t bytes(std::string_view text, std::size_t line, const char* what) const {
    const auto [digits, suffix] = split_number(text);
    std::uint64_t value = 0;
    std::size_t power = 0;
    if (!suffix.empty()) {
      power = std::string_view("kmgt").find(lower(suffix.front()));
      const std::string_view rest = suffix.substr(1);
      if (rest == "i" || rest == "iB" || rest == "ib")
        fail(line, std::string(what) + ": fio reads " + quoted(suffix) +
                       " as a power of 1000 unless kb_base says otherwise; write k, m, g or t");
      if (power == std::string_view::npos || (!rest.empty() && rest != "b" && rest != "B"))
        fail(line, std::string(what) + " is a size such as 4k or 1g, found " + quoted(text));
      ++power;
    }
    if (!whole(digits, value)) fail(line, std::string(what) + " is a size such as 4k or 1g, found " + quoted(text));
    for (; power > 0 && value <= max_bytes; --power) value *= 1024;
    if (value > max_bytes) fail(line, std::string(what) + " is larger than 2^50 bytes");
    if (value % sector_bytes != 0) fail(line, std::string(what) + " must be a multiple of 512 bytes, found " + quoted(text));
    return value;
  }

  /// A time; `unit_ns` is that of a bare number.
  Nanoseconds time(const Option& option, const char* what, std::uint64_t unit_ns) const {
    const auto [digits, suffix] = split_number(option.value);
    std::uint64_t value = 0;
    struct Unit {
      std::string_view name;
      std::uint64_t ns;
    };
    static constexpr Unit units[] = {{"us", 1000},          {"usec", 1000},          {"ms", 1'000'000},
                                     {"msec", 1'000'000},   {"s", 1'000'000'000},    {"sec", 1'000'000'000},
                                     {"m", 60'000'000'000}, {"min", 60'000'000'000}, {"h", 3'600'000'000'000}};
    bool known = suffix.empty();
    for (const Unit& unit : units)
      if (unit.name == suffix) unit_ns = unit.ns, known = true;
    if (!known || !whole(digits, value))
      fail(option.line, std::string(what) + " is one time such as 500us, 20ms or 5s, found " + quoted(option.value));
    if (value > max_time_ns / unit_ns) fail(option.line, std::string(what) + " is longer than eleven days");
    return Nanoseconds(static_cast<std::int64_t>(value * unit_ns));
  }

  static bool whole(std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
  }

 private:
  static char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

  static std::pair<std::string_view, std::string_view> split_number(std::string_view text) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    return {text.substr(0, end), text.substr(end)};
  }

  void store(std::string_view line, std::size_t number, Options& into) const {
    static constexpr std::array known = {
        std::string_view("rw"),         std::string_view("bs"),          std::string_view("bssplit"),
        std::string_view("size"),       std::string_view("offset"),      std::string_view("filename"),
        std::string_view("iodepth"),    std::string_view("ioengine"),    std::string_view("direct"),
        std::string_view("numjobs"),    std::string_view("rate_iops"),   std::string_view("thinktime"),
        std::string_view("fsync"),      std::string_view("startdelay"),  std::string_view("runtime"),
        std::string_view("time_based"), std::string_view("prio"),        std::string_view("prioclass"),
        std::string_view("randseed"),   std::string_view("stonewall"),   std::string_view("wait_for"),
        std::string_view("name"),       std::string_view("norandommap"), std::string_view("io_size")};
    const std::size_t equals = line.find('=');
    const std::string_view written = trim(line.substr(0, equals));
    const std::string_view value = equals == std::string_view::npos ? std::string_view{} : trim(line.substr(equals + 1));
    const std::string option = canonical(written);
    if (value.find('$') != std::string_view::npos)
      fail(number, "variables are outside the subset that is read; write the value of " + quoted(value));
    if (std::find(std::begin(without_effect), std::end(without_effect), option) != std::end(without_effect)) return;
    if (std::find(known.begin(), known.end(), option) == known.end())
      fail(number,
           "the option " + quoted(written) + " is outside the subset that is read; remove it if it does not matter here");
    const bool may_be_bare = option == "time_based" || option == "stonewall" || option == "norandommap";
    if (value.empty() && !may_be_bare)
      fail(number, "the option " + quoted(written) + " has no value; write " + std::string(written) + "=VALUE");
    into[option] = Option{std::string(value), number};
  }

  const std::string& name_;
};

/// One job, understood.
struct Job {
  const Section* section = nullptr;
  Op op = Op::read;
  bool random = false;
  ReqFlags flags = 0;
  IoPrio ioprio;
  SectorCount sectors = 8;  // of one operation
  struct Share {
    SectorCount sectors;
    std::uint32_t percent;
  };
  std::vector<Share> split;  // bssplit; empty: all operations have `sectors`
  Sector offset = 0, length = 0;
  Sector total = 0;  // io_size; 0: as much as the length
  std::string file;  // empty: one of its own
  std::uint32_t depth = 1, clones = 1, fsync_every = 0;
  std::uint64_t rate = 0;
  Nanoseconds think{0}, delay{0}, runtime{0};
  bool time_based = false;
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> waits_for;  // processes
};

class Translator {
 public:
  Translator(const Reader& reader, const std::vector<Section>& sections) : reader_(reader), sections_(sections) {}

  FioJobs run() {
    std::vector<Job> jobs;
    for (const Section& section : sections_) {
      jobs.push_back(understand(section));
      connect(jobs.back());
    }
    check_runtimes(jobs);
    for (const Job& job : jobs) place(job);
    Sector next = 0;
    for (const std::string& file : file_order_) {
      file_start_[file] = next;
      next += (file_length_[file] * sector_bytes + region_step - 1) / region_step * (region_step / sector_bytes);
    }
    out_.end = next;
    std::uint64_t index = 0;
    for (const Job& job : jobs)
      for (std::uint32_t clone = 0; clone < job.clones; ++clone) out_.processes.push_back(process(job, clone, index++));
    return std::move(out_);
  }

 private:
  const Option* find(const Section& section, std::string_view option) const {
    const auto found = section.options.find(option);
    return found == section.options.end() ? nullptr : &found->second;
  }

  Job understand(const Section& section) {
    Job job;
    job.section = &section;
    const auto option = [&](std::string_view name) { return find(section, name); };
    direction(section, job);
    const Option* direct = option("direct");
    if (direct == nullptr || !reader_.flag(*direct, "direct"))
      reader_.fail(direct != nullptr ? direct->line : section.line,
                   "job " + quoted(section.name) + " is buffered, and a page cache is not modelled; set direct=1");
    if (const Option* bs = option("bs")) job.sectors = block_size(*bs, job.op);
    if (const Option* split = option("bssplit")) bssplit(*split, job);
    const Option* size = option("size");
    if (size == nullptr) reader_.fail(section.line, "job " + quoted(section.name) + " has no size; set size=");
    job.length = reader_.bytes(size->value, size->line, "size") / sector_bytes;
    if (const Option* offset = option("offset"))
      job.offset = reader_.bytes(offset->value, offset->line, "offset") / sector_bytes;
    SectorCount largest = job.sectors;
    for (const Job::Share& share : job.split) largest = std::max(largest, share.sectors);
    if (job.length < largest) reader_.fail(size->line, "size is smaller than one block");
    if (const Option* io_size = option("io_size")) {
      job.total = reader_.bytes(io_size->value, io_size->line, "io_size") / sector_bytes;
      if (job.total < largest) reader_.fail(io_size->line, "io_size is smaller than one block");
      if (!job.random && job.total > job.length) {
        reader_.fail(io_size->line, "an io_size beyond size, which begins again, is outside the subset for sequential jobs");
      }
      for (const char* other : {"bssplit", "rate_iops", "time_based"}) {
        if (const Option* found = option(other))
          reader_.fail(found->line, std::string(other) + " with an io_size is outside the subset; set size alone");
      }
    }
    if (const Option* file = option("filename")) {
      if (file->value.find(':') != std::string::npos)
        reader_.fail(file->line, "several files in one job are outside the subset; use a job for each");
      job.file = file->value;
    }
    if (const Option* clones = option("numjobs"))
      job.clones = static_cast<std::uint32_t>(reader_.number(*clones, "numjobs", 1, max_processes));
    if (const Option* think = option("thinktime")) job.think = reader_.time(*think, "thinktime", 1000);
    if (const Option* delay = option("startdelay")) job.delay = reader_.time(*delay, "startdelay", 1'000'000'000);
    if (const Option* runtime = option("runtime")) job.runtime = reader_.time(*runtime, "runtime", 1'000'000'000);
    if (const Option* based = option("time_based")) {
      job.time_based = reader_.flag(*based, "time_based");
      if (job.time_based && job.runtime == 0ns) reader_.fail(based->line, "time_based needs a runtime; set runtime=");
    }
    if (const Option* fsync = option("fsync"))
      job.fsync_every = static_cast<std::uint32_t>(reader_.number(*fsync, "fsync", 0, UINT32_MAX));
    if (job.op != Op::write) job.fsync_every = 0;  // fio counts writes
    if (const Option* seed = option("randseed")) job.seed = reader_.number(*seed, "randseed", 0, UINT64_MAX);
    if (const Option* map = option("norandommap")) reader_.flag(*map, "norandommap");
    engine(section, job);
    priority(section, job);
    rate(section, job);
    if (job.random && option("norandommap") == nullptr)
      note("random places are drawn with repetition, as with norandommap=1");
    if (job.op == Op::write) job.flags = REQ_SYNC | REQ_IDLE;
    return job;
  }

  void direction(const Section& section, Job& job) const {
    const Option* rw = find(section, "rw");
    std::string_view value = rw == nullptr ? "read" : std::string_view(rw->value);
    job.random = value.starts_with("rand");
    const std::string_view bare = job.random ? value.substr(4) : value;
    if (bare == "read")
      job.op = Op::read;
    else if (bare == "write")
      job.op = Op::write;
    else if (bare == "trim")
      job.op = Op::discard;
    else
      reader_.fail(rw->line, "rw is read, write, trim, randread, randwrite or randtrim here, found " + quoted(value) +
                                 "; use two jobs for mixed directions");
  }

  /// "4k", or "4k,8k,1m" for reads, writes and trims (a missing one repeats the one before it).
  SectorCount block_size(const Option& option, Op op) const {
    std::string_view rest = option.value;
    std::string_view chosen;
    for (int i = 0; i <= (op == Op::read ? 0 : op == Op::write ? 1 : 2); ++i) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (const std::string_view part = trim(rest.substr(0, comma)); !part.empty()) chosen = part;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return block(chosen, option.line);
  }

  SectorCount block(std::string_view text, std::size_t line) const {
    const std::uint64_t bytes = reader_.bytes(text, line, "a block size");
    if (bytes == 0 || bytes > max_block)
      reader_.fail(line, "a block size is from 512 bytes to 1 GiB, found " + quoted(text));
    return static_cast<SectorCount>(bytes / sector_bytes);
  }

  /// "4k/10:64k/90"; shares left empty divide what is left.
  void bssplit(const Option& option, Job& job) const {
    if (option.value.find(',') != std::string::npos)
      reader_.fail(option.line, "bssplit for each direction is outside the subset; give one list");
    std::string_view rest = option.value;
    std::uint32_t total = 0, open = 0;
    while (!rest.empty()) {
      const std::size_t colon = std::min(rest.find(':'), rest.size());
      const std::string_view part = rest.substr(0, colon);
      rest.remove_prefix(std::min(colon + 1, rest.size()));
      const std::size_t slash = std::min(part.find('/'), part.size());
      const std::string_view share = slash < part.size() ? part.substr(slash + 1) : std::string_view{};
      std::uint64_t percent = 0;
      if (!share.empty() && (!Reader::whole(share, percent) || percent > 100))
        reader_.fail(option.line, "bssplit is SIZE/PERCENT:SIZE/PERCENT..., found " + quoted(part));
      open += share.empty() ? 1 : 0;
      total += static_cast<std::uint32_t>(percent);
      job.split.push_back(
          {block(part.substr(0, slash), option.line), share.empty() ? UINT32_MAX : static_cast<std::uint32_t>(percent)});
      if (job.split.size() > 64) reader_.fail(option.line, "bssplit with more than 64 sizes");
    }
    if (job.split.empty() || total > 100 || (open == 0 && total != 100))
      reader_.fail(option.line, "the percentages of bssplit must add up to 100");
    std::uint32_t left = 100 - total;
    for (Job::Share& share : job.split) {
      if (share.percent != UINT32_MAX) continue;
      share.percent = left / open--;
      left -= share.percent;
    }
  }

  void engine(const Section& section, Job& job) const {
    static constexpr std::string_view one_at_a_time[] = {"sync", "psync", "vsync", "pvsync", "pvsync2"};
    static constexpr std::string_view queued[] = {"libaio", "io_uring", "posixaio"};
    const Option* engine = find(section, "ioengine");
    const std::string_view name = engine == nullptr ? "psync" : std::string_view(engine->value);
    const bool synchronous = std::find(std::begin(one_at_a_time), std::end(one_at_a_time), name) != std::end(one_at_a_time);
    if (!synchronous && std::find(std::begin(queued), std::end(queued), name) == std::end(queued))
      reader_.fail(engine->line, "the engine " + quoted(name) + " is outside the subset; use psync, libaio or io_uring");
    if (const Option* depth = find(section, "iodepth")) {
      const std::uint64_t value = reader_.number(*depth, "iodepth", 1, 65536);
      if (!synchronous) job.depth = static_cast<std::uint32_t>(value);
    }
    if (!job.split.empty() && job.depth > 1)
      reader_.fail(find(section, "bssplit")->line, "bssplit with an iodepth above 1 is outside the subset; set iodepth=1");
  }

  void priority(const Section& section, Job& job) const {
    const Option* prio = find(section, "prio");
    const Option* io_class = find(section, "prioclass");
    if (prio == nullptr && io_class == nullptr) return;
    job.ioprio.io_class =
        io_class == nullptr ? IoClass::be : static_cast<IoClass>(reader_.number(*io_class, "prioclass", 1, 3));
    if (prio != nullptr) job.ioprio.level = static_cast<std::uint8_t>(reader_.number(*prio, "prio", 0, 7));
    if (job.ioprio.io_class == IoClass::idle) job.ioprio.level = 0;
  }

  void rate(const Section& section, Job& job) const {
    const Option* rate = find(section, "rate_iops");
    if (rate == nullptr) return;
    job.rate = reader_.number(*rate, "rate_iops", 1, 1'000'000'000);
    if (job.depth > 1) reader_.fail(rate->line, "rate_iops with an iodepth above 1 is outside the subset; set iodepth=1");
    if (find(section, "stonewall") != nullptr || find(section, "wait_for") != nullptr)
      reader_.fail(rate->line, "rate_iops in a job that waits for others is outside the subset; use startdelay");
  }

  /// stonewall and wait_for; counts the processes.
  void connect(Job& job) {
    const Section& section = *job.section;
    const std::uint32_t before = processes_;
    if (const Option* wall = find(section, "stonewall"); wall != nullptr && reader_.flag(*wall, "stonewall"))
      for (std::uint32_t i = 0; i < before; ++i) job.waits_for.push_back(i);
    if (const Option* wait = find(section, "wait_for")) {
      const auto found = first_process_.find(wait->value);
      if (found == first_process_.end())
        reader_.fail(wait->line, "wait_for names no job before this one: " + quoted(wait->value));
      for (std::uint32_t i = 0; i < found->second.second; ++i) job.waits_for.push_back(found->second.first + i);
    }
    processes_ += job.clones;
    if (processes_ > max_processes) reader_.fail(section.line, "more than " + std::to_string(max_processes) + " processes");
    const Option* name = find(section, "name");
    first_process_[name == nullptr ? section.name : name->value] = {before, job.clones};
  }

  void check_runtimes(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) {
      if (job.runtime == 0ns) continue;
      const Nanoseconds end = job.delay + job.runtime;
      if (!job.waits_for.empty())
        reader_.fail(find(*job.section, "runtime")->line,
                     "a runtime in a job that waits for others is outside the subset; set a size");
      if (out_.limit && *out_.limit != end)
        reader_.fail(find(*job.section, "runtime")->line,
                     "startdelay + runtime must be the same for every job: the run ends as a whole");
      out_.limit = end;
    }
    if (!out_.limit) return;
    for (const Job& job : jobs)
      if (job.runtime == 0ns)
        reader_.fail(job.section->line,
                     "job " + quoted(job.section->name) + " has no runtime, but another has: give it to all of them");
  }

  std::string file_of(const Job& job, std::uint32_t clone) const {
    return job.file.empty() ? "\n" + std::to_string(job.section->line) + "." + std::to_string(clone) : job.file;
  }

  void place(const Job& job) {
    for (std::uint32_t clone = 0; clone < job.clones; ++clone) {
      const std::string file = file_of(job, clone);
      if (!file_length_.contains(file)) file_order_.push_back(file);
      Sector& length = file_length_[file];
      length = std::max(length, job.offset + job.length);
    }
  }

  void note(const std::string& text) {
    if (std::find(out_.notes.begin(), out_.notes.end(), text) == out_.notes.end()) out_.notes.push_back(text);
  }

  void add(ProcessSpec& spec, const Job& job, const ProcessOp& op) {
    if (++steps_ > max_steps)
      reader_.fail(job.section->line, "job " + quoted(job.section->name) + " needs more than " + std::to_string(max_steps) +
                                          " steps (fsync, bssplit and rate_iops are written out); lower its size");
    spec.ops.push_back(op);
  }

  static ProcessOp io(const Job& job, Sector sector, SectorCount sectors, std::uint32_t count) {
    ProcessOp op;
    op.op = job.op;
    op.flags = job.flags;
    op.sector = sector;
    op.sectors = sectors;
    op.count = count;
    op.depth = job.depth;
    op.think = job.think;
    return op;
  }

  static ProcessOp plain(ProcessOp::Kind kind, Nanoseconds time = 0ns) {
    ProcessOp op;
    op.kind = kind;
    op.time = time;
    return op;
  }

  ProcessSpec process(const Job& job, std::uint32_t clone, std::uint64_t index) {
    const Option* name = find(*job.section, "name");
    ProcessSpec spec;
    spec.name = (name == nullptr ? job.section->name : name->value) + (job.clones > 1 ? "." + std::to_string(clone) : "");
    spec.ioprio = job.ioprio;
    for (const std::uint32_t other : job.waits_for) {
      ProcessOp wait = plain(ProcessOp::Kind::wait);
      wait.target = other;
      add(spec, job, wait);
    }
    if (job.delay > 0ns) add(spec, job, plain(ProcessOp::Kind::think, job.delay));
    const Sector start = file_start_[file_of(job, clone)] + job.offset;
    SplitMix64 random(job.seed * 1000 + index);
    if (job.rate > 0)
      rated(spec, job, start, random);
    else
      sized(spec, job, start, random);
    return spec;
  }

  SectorCount draw_block(const Job& job, SplitMix64& random) const {
    if (job.split.empty()) return job.sectors;
    auto share = static_cast<std::uint32_t>(random.below(100));
    for (const Job::Share& candidate : job.split) {
      if (share < candidate.percent) return candidate.sectors;
      share -= candidate.percent;
    }
    return job.split.back().sectors;
  }

  /// The next place; sequential ones start again at the end of the region.
  static Sector draw_place(const Job& job, Sector start, Sector& position, SectorCount sectors, SplitMix64& random) {
    if (job.random) return start + random.below(job.length / sectors) * sectors;
    if (position + sectors > job.length) position = 0;
    const Sector at = start + position;
    position += sectors;
    return at;
  }

  /// rate_iops: operation k not before k periods.
  void rated(ProcessSpec& spec, const Job& job, Sector start, SplitMix64& random) {
    Sector position = 0;
    Sector done = 0;
    std::uint32_t since_fsync = 0;
    for (std::uint64_t k = 0; job.time_based || done < job.length; ++k) {
      const auto at =
          Nanoseconds(static_cast<std::int64_t>(k / job.rate * 1'000'000'000 + k % job.rate * 1'000'000'000 / job.rate));
      if (job.runtime > 0ns && at >= job.runtime) break;
      const SectorCount sectors = draw_block(job, random);
      if (!job.time_based && done + sectors > job.length) break;
      add(spec, job, plain(ProcessOp::Kind::at, job.delay + at));
      add(spec, job, io(job, draw_place(job, start, position, sectors, random), sectors, 1));
      done += sectors;
      fsync(spec, job, 1, since_fsync);
    }
  }

  void fsync(ProcessSpec& spec, const Job& job, std::uint32_t writes, std::uint32_t& since) {
    since += writes;
    if (job.fsync_every == 0 || since < job.fsync_every) return;
    since = 0;
    add(spec, job, plain(ProcessOp::Kind::fsync));
  }

  /// Until `size` is done; with time_based again and again.
  void sized(ProcessSpec& spec, const Job& job, Sector start, SplitMix64& random) {
    if (job.time_based) {
      ProcessOp repeat = plain(ProcessOp::Kind::repeat);
      repeat.count = UINT32_MAX;
      add(spec, job, repeat);
    }
    if (job.split.empty())
      equal_blocks(spec, job, start, random);
    else
      split_blocks(spec, job, start, random);
    if (job.time_based) add(spec, job, plain(ProcessOp::Kind::end));
  }

  void equal_blocks(ProcessSpec& spec, const Job& job, Sector start, SplitMix64& random) {
    std::uint32_t since_fsync = 0;
    std::uint64_t left = (job.total != 0 ? job.total : job.length) / job.sectors;
    if (job.time_based && job.random && job.fsync_every == 0) left = UINT32_MAX;
    if (left > UINT32_MAX)
      reader_.fail(job.section->line, "job " + quoted(job.section->name) + " has more than 2^32 operations");
    Sector position = 0;
    while (left > 0) {
      const auto count =
          static_cast<std::uint32_t>(job.fsync_every == 0 ? left : std::min<std::uint64_t>(left, job.fsync_every));
      ProcessOp op = io(job, start + position, job.sectors, count);
      if (job.random) {
        op.sector = start;
        op.span = job.length;
        op.seed = random.next();
      } else {
        position += Sector{count} * job.sectors;
      }
      add(spec, job, op);
      left -= count;
      fsync(spec, job, count, since_fsync);
    }
  }

  void split_blocks(ProcessSpec& spec, const Job& job, Sector start, SplitMix64& random) {
    Sector position = 0;
    std::uint32_t since_fsync = 0;
    for (Sector done = 0; done < job.length;) {
      const SectorCount sectors = draw_block(job, random);
      if (done + sectors > job.length) break;
      add(spec, job, io(job, draw_place(job, start, position, sectors, random), sectors, 1));
      done += sectors;
      fsync(spec, job, 1, since_fsync);
    }
  }

  const Reader& reader_;
  const std::vector<Section>& sections_;
  FioJobs out_;
  std::uint32_t processes_ = 0;
  std::size_t steps_ = 0;
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>, std::less<>>
      first_process_;  // first and number, by job name
  std::vector<std::string> file_order_;
  std::map<std::string, Sector> file_length_, file_start_;
};

}  // namespace

FioJobs parse_fio_job(std::string_view text, const std::string& name) {
  const Reader reader(name);
  const std::vector<Section> sections = reader.sections(text);
  return Translator(reader, sections).run();
}

}  // namespace elvcheck
