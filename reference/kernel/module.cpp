// SPDX-License-Identifier: GPL-2.0-or-later
#include "reference/kernel/module.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>

#include "reference/kernel/kernel_layer.hpp"

namespace elvcheck::kernel {

namespace {

TroubleHandler trouble_handler = nullptr;

/// A second copy of an object in the process: the loader tells objects apart by their file.
std::string private_copy(const std::filesystem::path& object) {
  const int from = ::open(object.c_str(), O_RDONLY | O_CLOEXEC);
  const int to = ::memfd_create("elvcheck-kernel", MFD_CLOEXEC);
  struct stat status {};
  off_t done = 0;
  if (from < 0 || to < 0 || ::fstat(from, &status) != 0)
    throw std::runtime_error(object.string() + ": cannot be copied to memory");
  while (done < status.st_size) {
    if (::sendfile(to, from, &done, static_cast<std::size_t>(status.st_size - done)) <= 0)
      throw std::runtime_error(object.string() + ": cannot be copied to memory");
  }
  ::close(from);
  return "/proc/self/fd/" + std::to_string(to);  // stays open: the loader may look at it again
}

}  // namespace

std::string_view to_string(Trouble trouble) {
  static constexpr std::array<std::string_view, 5> names{"warning", "bug", "lock", "unmodelled", "stuck"};
  return names[static_cast<std::size_t>(trouble)];
}

void set_trouble_handler(TroubleHandler handler) { trouble_handler = handler; }

void report_trouble(Trouble trouble, const char* text) {
  if (trouble_handler != nullptr) trouble_handler(trouble, text);
  std::fprintf(stderr, "elvcheck: the kernel's code stopped (%s): %s\n", to_string(trouble).data(), text);
  std::abort();
}

KernelModule& KernelModule::load(const std::filesystem::path& object) {
  thread_local std::map<std::filesystem::path, std::unique_ptr<KernelModule>> loaded;
  std::unique_ptr<KernelModule>& module = loaded[object];
  if (module == nullptr) {
    static std::mutex mutex;
    static std::set<std::filesystem::path> taken;
    const std::lock_guard lock(mutex);
    module.reset(new KernelModule(taken.insert(object).second ? object.string() : private_copy(object)));
  }
  return *module;
}

KernelModule::KernelModule(const std::filesystem::path& object) {
  void* handle = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(std::string("a built kernel cannot be loaded: ") + ::dlerror());
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
    if (function == nullptr) throw std::runtime_error(object.string() + ": has no " + name + "; remove it from the cache");
  };
  find(call_.abi_version, "elvk_abi_version");
  if (call_.abi_version() != ELVK_ABI_VERSION)
    throw std::runtime_error(object.string() + ": was built by another version of elvcheck; remove it from the cache");
  find(call_.build_hz, "elvk_build_hz");
  find(call_.start, "elvk_start");
  find(call_.scheduler_name, "elvk_scheduler_name");
  find(call_.enter, "elvk_enter");
  find(call_.leave, "elvk_leave");
  find(call_.fire, "elvk_fire");
  find(call_.get_statistics, "elvk_get_statistics");
  find(call_.queue_new, "elvk_queue_new");
  find(call_.queue_free, "elvk_queue_free");
  find(call_.queue_set_nr_requests, "elvk_queue_set_nr_requests");
  find(call_.queue_complete, "elvk_queue_complete");
  find(call_.queue_requests_in_use, "elvk_queue_requests_in_use");
  find(call_.queue_plugs, "elvk_queue_plugs");
  find(call_.queue_unplug, "elvk_queue_unplug");
  find(call_.tunable_name, "elvk_tunable_name");
  find(call_.tunable_show, "elvk_tunable_show");
  find(call_.tunable_store, "elvk_tunable_store");
  find(call_.task_new, "elvk_task_new");
  find(call_.task_free, "elvk_task_free");
  find(call_.task_set_ioprio, "elvk_task_set_ioprio");
  find(call_.task_start_plug, "elvk_task_start_plug");
  find(call_.task_finish_plug, "elvk_task_finish_plug");
  find(call_.task_flush_plug, "elvk_task_flush_plug");
  find(call_.task_submit, "elvk_task_submit");
  if (const int error = call_.start(&kernel_host()); error != 0)
    throw std::runtime_error(object.string() + ": the scheduler's module does not start (error " + std::to_string(error) +
                             ")");
}

elvk_statistics KernelModule::statistics() const {
  elvk_statistics statistics{};
  call_.get_statistics(&statistics);
  return statistics;
}

const DecisionRule& KernelModule::rule_of(const char* format) {
  LogRule& entry = rules_[format];
  if (entry.name.empty()) {
    entry.name = scheduler() + ".log";
    entry.statement = format;
    entry.rule = DecisionRule{entry.name.c_str(), entry.statement.c_str(), {}};
  }
  return entry.rule;
}

}  // namespace elvcheck::kernel
