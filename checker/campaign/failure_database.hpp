// SPDX-License-Identifier: GPL-2.0-or-later
// The failure database: minimised cases that broke a property once, kept in `.elvcheck/` of the working directory and tried
// first by the next run. One case file for each, named by its content, so that nothing is kept twice and a folder can be
// joined with another one by copying.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "properties/case_file.hpp"

namespace elvcheck {

class FailureDatabase {
 public:
  struct Entry {
    std::string id;  ///< case_id()
    std::string path;
    CaseFile value;
  };
  static constexpr const char* usual_folder = ".elvcheck";

  /// Nothing is made or read yet.
  explicit FailureDatabase(std::string folder = usual_folder) : folder_(std::move(folder)) {}
  const std::string& folder() const { return folder_; }

  /// Every case, by id; empty if there is no folder. Throws InputError for a file that is no case.
  std::vector<Entry> entries() const;
  /// The entry whose id begins with `id`. Throws InputError if there is none or more than one.
  Entry find(std::string_view id) const;
  /// Keeps the normalised case; returns its id. Makes the folder. Throws InputError.
  std::string add(const CaseFile& value) const;
  /// Removes an entry. Throws InputError.
  void drop(const Entry& entry) const;

 private:
  std::string folder_;
};

}  // namespace elvcheck
