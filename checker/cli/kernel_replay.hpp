// SPDX-License-Identifier: GPL-2.0-or-later
// Case files on a kernel tree's own schedulers.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "checker/cli/kernel_options.hpp"
#include "checker/report/result.hpp"
#include "properties/case_file.hpp"

namespace elvcheck {

class KernelReplay {
 public:
  /// Opens the tree; schedulers are built when a case first needs them. `options` must outlive this. What is to be known
  /// about the patches goes to `note`. Throws as open_tree() does.
  KernelReplay(const KernelOptions& options, std::function<void(const std::string&)> note);

  /// As judge_case() (judge_case.hpp), in a process of its own.
  Result judge(const CaseFile& value, const std::string& path);

  /// Every event, with the lines of the scheduler's own log between them. Ends with one line that says so if the kernel's
  /// code did not come to its end.
  std::string trace(const CaseFile& value, const std::string& path);

 private:
  kernel::KernelSet& kernel_of(const CaseFile& value, const std::string& path);

  const KernelOptions& options_;
  std::function<void(const std::string&)> note_;
  kernel::BuildOptions build_;
  kernel::KernelTree tree_;
  std::map<std::string, kernel::KernelSet> kernels_;  ///< by scheduler
};

}  // namespace elvcheck
