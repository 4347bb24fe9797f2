// SPDX-License-Identifier: GPL-2.0-or-later
// fio job files as scenarios: the subset of fio(1) that says something about a block layer without a file system.
//
// Read: ini sections, [global] (for the jobs after it), comments (# and ;), decimal sizes with k, m, g, t (powers of 1024,
// fio's kb_base=1024), times with us, ms, s, m, h. Options, after fio's HOWTO:
//   rw, readwrite     read write trim randread randwrite randtrim; mixed directions are outside the subset
//   bs, blocksize, bssplit, size, io_size, offset, filename, iodepth, ioengine, direct, numjobs, rate_iops, thinktime, fsync,
//   startdelay, runtime, time_based, prio, prioclass, randseed, stonewall, wait_for, name, norandommap and, without any
//   effect: description, thread, invalidate, group_reporting and the other options of reports and logs.
// Anything else is an error that names the line, never ignored.
//
// What the model makes of it: each job is one process, each clone of numjobs another. Files lie one after another on the
// device from sector 0, in the order of their first mention, each as long as its jobs need, rounded up to 1 MiB; jobs
// without filename have a file of their own. direct=1 is required: a page cache is not modelled. Synchronous engines have a
// depth of 1 whatever iodepth says. Random places are drawn with repetition (fio: norandommap=1) from a generator of this
// program, so they are not fio's own. Direct writes carry REQ_SYNC and REQ_IDLE as in the kernel.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/core/scenario.hpp"

namespace elvcheck {

/// "FILE:LINE: what is wrong; how to mend it".
class FioJobError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct FioJobs {
  std::vector<ProcessSpec> processes;  ///< in the order of the sections
  std::optional<Nanoseconds> limit;    ///< runtime: the run is stopped then
  Sector end = 0;                      ///< the device needs at least so many sectors
  std::vector<std::string> notes;      ///< one sentence each: what is other than in fio
};

/// Reads a job file. `name` stands before the line number in errors. Throws FioJobError.
FioJobs parse_fio_job(std::string_view text, const std::string& name);

/// The scenario's processes as a job file, so that a case can be tried on a real disk. Each operation is a job that waits for
/// the one before it. Comments at its head say what a job file cannot hold, and that it overwrites the disk if it writes.
std::string format_fio_job(const Scenario& scenario);

}  // namespace elvcheck
