// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/kernel_layer.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace elvcheck::kernel {

namespace {

constexpr unsigned generation_shift = 16;  // of the event number; the low bits are the slot

unsigned kernel_ioprio(IoPrio prio) { return static_cast<unsigned>(prio.io_class) << 13 | prio.level; }

}  // namespace

class KernelLayer::Inside {
 public:
  explicit Inside(KernelLayer& layer) : layer_(layer) {
    if (!layer.shutting_down_) layer.now_ = layer.events_.now();
    layer.call_.enter(&layer, static_cast<elvk_u64>((KernelClock::boot + layer.now_).count()),
                      layer.trace_.watched() ? 1 : 0);
  }
  ~Inside() { layer_.call_.leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  KernelLayer& layer_;
};

KernelLayer::KernelLayer(KernelModule& module, const BlockSettings& settings, const std::vector<NamedValue>& tunables,
                         EventQueue& events, Trace& trace, Device& device, BlockLayerHost& host, LogSink log)
    : module_(module),
      call_(module.call()),
      settings_(settings),
      events_(events),
      trace_(trace),
      device_(device),
      host_(host),
      log_(std::move(log)),
      queue_plugs_(call_.queue_plugs() != 0),
      by_tag_(device.info().queue_depth, nullptr) {
  if (settings.hz != module.hz())
    throw std::invalid_argument("this kernel was built for " + std::to_string(module.hz()) + " Hz, the scenario wants " +
                                std::to_string(settings.hz));
  elvk_queue_settings wanted{};
  const DeviceInfo& info = device.info();
  wanted.capacity = info.capacity;
  wanted.depth = info.queue_depth;
  wanted.nr_requests = settings.nr_requests;
  wanted.max_sectors = settings.max_sectors;
  wanted.max_segments = settings.max_segments;
  wanted.scheduler = module.scheduler().empty() ? 0 : 1;
  wanted.rotational = info.rotational ? 1 : 0;
  wanted.volatile_cache = info.volatile_cache ? 1 : 0;
  wanted.fua = info.fua ? 1 : 0;
  wanted.nomerges = static_cast<int>(settings.nomerges);
  wanted.log = log_ ? 1 : 0;
  {
    const Inside inside(*this);
    queue_ = call_.queue_new(&wanted);
  }
  device.attach(events, *this);
  for (const NamedValue& tunable : tunables) {
    const std::string value = std::to_string(tunable.value);
    if (const long error = store(tunable.name, value); error < 0)
      throw std::invalid_argument("the kernel's " + module.scheduler() + " refuses " + value + " for tunable '" +
                                  tunable.name + "' (error " + std::to_string(error) + ")");
  }
}

KernelLayer::~KernelLayer() {
  shutting_down_ = true;
  complete_everything();
  for (auto& [pid, task] : tasks_) {
    if (task->coroutine.sleeping()) continue;
    const Inside inside(*this);
    call_.task_free(task->kernel);
  }
  while (run_earliest(true)) {
  }
  if (requests_in_use() == 0) {  // else the queue can never be frozen: it stays, as a leak that is counted
    const Inside inside(*this);
    call_.queue_free(queue_);
  }
  while (run_earliest(true)) {
  }
}

KernelLayer::Task& KernelLayer::task(ProcessId process) {
  std::unique_ptr<Task>& task = tasks_[process];
  if (task == nullptr) {
    task = std::make_unique<Task>();
    task->layer = this;
    task->kernel = call_.task_new(process);
  }
  return *task;
}

// Submission.

void KernelLayer::submit_job(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  KernelLayer& layer = *task.layer;
  const Bio& bio = *task.bio;
  const elvk_bio_desc desc{
      task.bio, bio.sector, bio.sectors, static_cast<elvk_u32>(bio.op), bio.flags, kernel_ioprio(bio.ioprio)};
  const bool own_plug = layer.settings_.plug_each_bio && !task.plugged;
  if (own_plug) layer.call_.task_start_plug(task.kernel);
  layer.call_.task_submit(task.kernel, layer.queue_, &desc);
  if (own_plug) layer.call_.task_finish_plug(task.kernel);
}

Submission KernelLayer::submit(Bio& bio) {
  Task& submitter = task(bio.process);
  bio.queued_at = events_.now();
  submitter.bio = &bio;
  const Inside inside(*this);
  running_ = &submitter;
  const bool finished = submitter.coroutine.run(&submit_job, &submitter);
  running_ = nullptr;
  return finished ? Submission::accepted : Submission::blocked;
}

Submission KernelLayer::resume(ProcessId process) {
  Task& sleeper = task(process);
  sleeper.woken = false;
  const Inside inside(*this);
  running_ = &sleeper;
  const bool finished = sleeper.coroutine.resume();
  running_ = nullptr;
  return finished ? Submission::accepted : Submission::blocked;
}

// Processes.

void KernelLayer::start_plug(ProcessId process) {
  Task& owner = task(process);
  owner.plugged = true;
  const Inside inside(*this);
  call_.task_start_plug(owner.kernel);
}

void KernelLayer::finish_plug(ProcessId process) {
  Task& owner = task(process);
  const bool was_plugged = std::exchange(owner.plugged, false);
  const Inside inside(*this);
  call_.task_finish_plug(owner.kernel);
  if (queue_plugs_ && was_plugged) call_.queue_unplug(queue_);
}

void KernelLayer::process_sleeps(ProcessId process, bool for_io) {
  Task& sleeper = task(process);
  const bool unplugs_queue = queue_plugs_ && for_io;
  if (!sleeper.plugged && !unplugs_queue) return;
  const Inside inside(*this);
  unplugs_queue ? call_.queue_unplug(queue_) : call_.task_flush_plug(sleeper.kernel);
}

void KernelLayer::set_ioprio(ProcessId process, IoPrio prio) {
  Task& owner = task(process);
  if (prio.io_class == IoClass::none && !owner.has_ioprio) return;  // what a process starts with
  owner.has_ioprio = true;
  const Inside inside(*this);
  call_.task_set_ioprio(owner.kernel, static_cast<int>(kernel_ioprio(prio)));
}

void KernelLayer::exit_process(ProcessId process) {
  const auto found = tasks_.find(process);
  if (found == tasks_.end()) return;
  const Inside inside(*this);
  call_.task_free(found->second->kernel);
  tasks_.erase(found);
}

unsigned KernelLayer::requests_in_use() const { return call_.queue_requests_in_use(queue_); }

// The device.

bool KernelLayer::issue(void* request, const DeviceCommand& command) {
  if (!shutting_down_ && settings_.refuse_every != 0 && ++offered_ % settings_.refuse_every == 0) return false;
  by_tag_.at(command.tag) = request;
  if (!shutting_down_) device_.issue(command);
  return true;
}

void KernelLayer::command_done(std::uint32_t tag) {
  const Inside inside(*this);
  call_.queue_complete(std::exchange(by_tag_.at(tag), nullptr), 0);
}

// Timers and work.

KernelLayer::Pending* KernelLayer::find_pending(int kind, void* object) {
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& each) {
    return each.armed && each.object == object && each.kind == kind;
  });
  return found == pending_.end() ? nullptr : &*found;
}

void KernelLayer::schedule(int kind, void* object, Nanoseconds at) {
  Pending* slot = find_pending(kind, object);
  if (slot == nullptr) {
    const auto unused = std::find_if(pending_.begin(), pending_.end(), [](const Pending& each) { return !each.armed; });
    slot = unused == pending_.end() ? &pending_.emplace_back() : &*unused;
  }
  slot->object = object;
  slot->kind = kind;
  slot->armed = true;
  slot->at = at;
  ++slot->generation;
  const auto index = static_cast<std::uint64_t>(slot - pending_.data());
  if (!shutting_down_) events_.schedule(at, Rank::kernel, *this, slot->generation << generation_shift | index);
}

void KernelLayer::on_event(std::uint64_t what) {
  Pending& slot = pending_[what & ((1U << generation_shift) - 1)];
  if (!slot.armed || slot.generation != what >> generation_shift) return;
  slot.armed = false;
  const int kind = slot.kind;
  void* const object = slot.object;
  const Inside inside(*this);
  call_.fire(kind, object);
}

/// For the end: runs the kernel event that is due first, moving the clock. False if there is none.
bool KernelLayer::run_earliest(bool work_only) {
  Pending* first = nullptr;
  for (Pending& each : pending_) {
    if (!each.armed || (work_only && each.kind != ELVK_WORK)) continue;
    if (first == nullptr || each.at < first->at) first = &each;
  }
  if (first == nullptr) return false;
  first->armed = false;
  now_ = std::max(now_, first->at);
  const int kind = first->kind;
  void* const object = first->object;
  const Inside inside(*this);
  call_.fire(kind, object);
  return true;
}

void KernelLayer::complete_everything() {
  now_ = events_.now();
  for (auto& [pid, task] : tasks_) {
    if (task->plugged && !task->coroutine.sleeping()) finish_plug(pid);
  }
  constexpr int patience = 1'000'000;  // events; a scheduler that keeps its requests for ever leaves them
  for (int i = 0; i < patience; ++i) {
    const auto issued = std::find_if(by_tag_.begin(), by_tag_.end(), [](const void* request) { return request != nullptr; });
    if (issued != by_tag_.end()) {
      command_done(static_cast<std::uint32_t>(issued - by_tag_.begin()));
      continue;
    }
    const auto woken = std::find_if(tasks_.begin(), tasks_.end(), [](const auto& entry) { return entry.second->woken; });
    if (woken != tasks_.end()) {
      if (resume(woken->first) == Submission::accepted && woken->second->plugged) finish_plug(woken->first);
      continue;
    }
    if (requests_in_use() == 0 || !run_earliest(false)) break;
  }
}

// Tunables.

std::string KernelLayer::show(const std::string& tunable) {
  std::string page(4096, '\0');
  const Inside inside(*this);
  const long length = call_.tunable_show(queue_, tunable.c_str(), page.data());
  if (length < 0) throw std::invalid_argument("the kernel's " + module_.scheduler() + " has no tunable '" + tunable + "'");
  page.resize(static_cast<std::size_t>(length));
  while (!page.empty() && page.back() == '\n') page.pop_back();
  return page;
}

long KernelLayer::store(const std::string& tunable, const std::string& text) {
  const Inside inside(*this);
  const long result = call_.tunable_store(queue_, tunable.c_str(), text.c_str());
  return result < 0 ? result : 0;
}

std::vector<std::string> KernelLayer::tunables() const {
  std::vector<std::string> names;
  for (elvk_u32 i = 0;; ++i) {
    const char* name = call_.tunable_name(queue_, i);
    if (name == nullptr) return names;
    names.emplace_back(name);
  }
}

// What the kernel says.

void KernelLayer::emit(const elvk_event& event) {
  static constexpr std::uint64_t priority_bits = 13;
  TraceEvent out;
  out.at = now_;
  out.kind = static_cast<EventKind>(event.kind);
  out.op = static_cast<Op>(event.op);
  out.flags = static_cast<ReqFlags>(event.flags);
  out.ioprio =
      IoPrio{static_cast<IoClass>(event.ioprio >> priority_bits & 3U), static_cast<std::uint8_t>(event.ioprio & 7U)};
  out.process = event.pid;
  out.bio = event.bio == nullptr ? 0 : static_cast<const Bio*>(event.bio)->id;
  out.request = event.request;
  out.other = event.other;
  out.sector = event.sector;
  out.sectors = event.sectors;
  trace_.emit(out);
}

void KernelLayer::note(const char* format, const char* text) {
  if (log_) log_(now_, text);
  if (!trace_.watched()) return;
  TraceEvent event;
  event.at = now_;
  event.kind = EventKind::note;
  event.rule = &module_.rule_of(format);
  // The numbers of the line, in order; digits that belong to a word or an address are none.
  std::size_t count = 0;
  for (const char* at = text; *at != '\0' && count < event.numbers.size();) {
    const bool begins = std::isdigit(static_cast<unsigned char>(*at)) != 0 &&
                        (at == text || std::isalnum(static_cast<unsigned char>(at[-1])) == 0);
    if (!begins) {
      ++at;
      continue;
    }
    char* end = nullptr;
    event.numbers[count++] = std::strtoll(at, &end, 10);
    at = end;
    while (std::isalnum(static_cast<unsigned char>(*at)) != 0) ++at;
  }
  trace_.emit(event);
}

void KernelLayer::warn(const char* text) {
  static constexpr DecisionRule rule{"kernel.warning", "the kernel's code warned (WARN_ON)", {}};
  warnings_.emplace_back(text);
  module_.set_last_warning(text);
  if (!trace_.watched()) return;
  TraceEvent event;
  event.at = now_;
  event.kind = EventKind::note;
  event.rule = &rule;
  trace_.emit(event);
}

/// The C side calls these with the layer that entered it.
struct HostCallbacks {
  static KernelLayer& of(void* layer) { return *static_cast<KernelLayer*>(layer); }

  static int issue(void* layer, void* request, elvk_u32 tag, elvk_u32 op, elvk_u32 flags, elvk_u64 sector,
                   elvk_u32 sectors) {
    const auto kind = static_cast<Op>(op);
    const DeviceCommand command{tag, kind, (flags & ELVK_FUA) != 0, kind == Op::flush ? 0 : sector,
                                kind == Op::flush ? 0 : sectors};
    return of(layer).issue(request, command) ? 0 : 1;
  }
  static void bio_done(void* layer, void* bio, int) {
    if (!of(layer).shutting_down_) of(layer).host_.bio_done(*static_cast<Bio*>(bio));
  }
  static void sleep(void* layer, int pid) {
    KernelLayer& self = of(layer);
    if (self.running_ == nullptr) report_trouble(Trouble::stuck, "kernel code sleeps outside a process");
    KernelLayer::Task& task = *self.running_;
    if (self.trace_.watched()) {
      const Bio& bio = *task.bio;
      elvk_event event{};
      event.kind = ELVK_EV_SLEEP_REQUEST;
      event.pid = pid;
      event.op = static_cast<elvk_u32>(bio.op);
      event.flags = bio.flags;
      event.ioprio = kernel_ioprio(bio.ioprio);
      event.sector = bio.sector;
      event.sectors = bio.sectors;
      event.bio = task.bio;
      self.emit(event);
    }
    task.coroutine.sleep();
  }
  static void wake(void* layer, int pid) {
    KernelLayer& self = of(layer);
    const auto found = self.tasks_.find(pid);
    if (found == self.tasks_.end() || found->second->woken || !found->second->coroutine.sleeping()) return;
    found->second->woken = true;
    if (!self.shutting_down_) self.host_.wake(pid);
  }
  static void schedule(void* layer, int kind, void* object, elvk_u64 clock_ns) {
    of(layer).schedule(kind, object, Nanoseconds(static_cast<std::int64_t>(clock_ns)) - KernelClock::boot);
  }
  static int cancel(void* layer, int kind, void* object) {
    KernelLayer::Pending* slot = of(layer).find_pending(kind, object);
    if (slot == nullptr) return 0;
    slot->armed = false;
    return 1;
  }
  static elvk_u32 random(void* layer) {  // xorshift32 (Marsaglia, Journal of Statistical Software 8(14), 2003)
    if (layer == nullptr) return 1;
    std::uint32_t& state = of(layer).random_;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
  }
  static void event(void* layer, const elvk_event* event) { of(layer).emit(*event); }
  static void note(void* layer, const char* format, const char* text) { of(layer).note(format, text); }
  static void trouble(void* layer, int kind, const char* text) {
    if (kind != ELVK_WARN) report_trouble(static_cast<Trouble>(kind), text);
    if (layer != nullptr) of(layer).warn(text);
  }
};

const elvk_host& kernel_host() {
  static const elvk_host host{&HostCallbacks::issue,  &HostCallbacks::bio_done, &HostCallbacks::sleep,
                              &HostCallbacks::wake,   &HostCallbacks::schedule, &HostCallbacks::cancel,
                              &HostCallbacks::random, &HostCallbacks::event,    &HostCallbacks::note,
                              &HostCallbacks::trouble};
  return host;
}

}  // namespace elvcheck::kernel
