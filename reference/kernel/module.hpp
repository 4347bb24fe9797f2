// SPDX-License-Identifier: GPL-2.0-or-later
// A built kernel (build.hpp), loaded: its functions, and what it says.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include "model/core/trace.hpp"
#include "reference/kernel/glue/abi.h"

namespace elvcheck::kernel {

/// The functions of glue/abi.h, found by name.
struct KernelFunctions {
  decltype(&::elvk_abi_version) abi_version;
  decltype(&::elvk_build_hz) build_hz;
  decltype(&::elvk_start) start;
  decltype(&::elvk_scheduler_name) scheduler_name;
  decltype(&::elvk_enter) enter;
  decltype(&::elvk_leave) leave;
  decltype(&::elvk_fire) fire;
  decltype(&::elvk_get_statistics) get_statistics;
  decltype(&::elvk_queue_new) queue_new;
  decltype(&::elvk_queue_free) queue_free;
  decltype(&::elvk_queue_set_nr_requests) queue_set_nr_requests;
  decltype(&::elvk_queue_complete) queue_complete;
  decltype(&::elvk_queue_requests_in_use) queue_requests_in_use;
  decltype(&::elvk_queue_plugs) queue_plugs;
  decltype(&::elvk_queue_unplug) queue_unplug;
  decltype(&::elvk_tunable_name) tunable_name;
  decltype(&::elvk_tunable_show) tunable_show;
  decltype(&::elvk_tunable_store) tunable_store;
  decltype(&::elvk_task_new) task_new;
  decltype(&::elvk_task_free) task_free;
  decltype(&::elvk_task_set_ioprio) task_set_ioprio;
  decltype(&::elvk_task_start_plug) task_start_plug;
  decltype(&::elvk_task_finish_plug) task_finish_plug;
  decltype(&::elvk_task_flush_plug) task_flush_plug;
  decltype(&::elvk_task_submit) task_submit;
};

/// What went wrong inside the kernel's code.
enum class Trouble { warning, bug, lock, unmodelled, stuck };
std::string_view to_string(Trouble trouble);

/// Called for every trouble but a warning; must not return. The default prints the text and aborts.
using TroubleHandler = void (*)(Trouble trouble, const char* text);
void set_trouble_handler(TroubleHandler handler);
[[noreturn]] void report_trouble(Trouble trouble, const char* text);

class KernelModule {
 public:
  /// Loads an object once for each thread, since its globals (the clock, the running process) serve one thread at a time; it
  /// stays loaded. Throws std::runtime_error if it cannot be loaded.
  static KernelModule& load(const std::filesystem::path& object);

  const KernelFunctions& call() const { return call_; }
  unsigned hz() const { return call_.build_hz(); }
  std::string scheduler() const { return call_.scheduler_name(); }
  elvk_statistics statistics() const;

  /// The text of the last WARN_ON, or empty.
  const std::string& last_warning() const { return last_warning_; }
  void set_last_warning(const char* text) { last_warning_ = text; }

  /// A decision rule for a line of the scheduler's log: one for each format.
  const DecisionRule& rule_of(const char* format);

 private:
  explicit KernelModule(const std::filesystem::path& object);

  KernelFunctions call_{};
  std::string last_warning_;
  struct LogRule {
    std::string name;
    std::string statement;
    DecisionRule rule;
  };
  std::map<const char*, LogRule> rules_;
};

}  // namespace elvcheck::kernel
