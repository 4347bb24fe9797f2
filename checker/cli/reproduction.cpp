// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/cli/reproduction.hpp"

#include "checker/cli/progress.hpp"
#include "checker/cli/worker_pool.hpp"

namespace elvcheck {

std::optional<ExperimentOutcome> run_experiment(const Experiment& experiment, ReproduceContext context, unsigned jobs,
                                                bool progress_wanted) {
  context.simulate = [&](std::size_t count, const std::function<void(std::size_t)>& body) {
    Progress progress(std::string(experiment.name) + " simulations", count, std::chrono::seconds(0), progress_wanted);
    const std::uint64_t done = run_pieces(
        count, {jobs, std::chrono::seconds(0)}, [&](std::uint64_t piece) { body(piece); },
        [&](std::uint64_t finished) { progress.update(finished); });
    if (done < count) throw ReproduceContext::Interrupted{};
  };
  try {
    return experiment.run(context);
  } catch (const ReproduceContext::Interrupted&) {
    return std::nullopt;
  }
}

}  // namespace elvcheck
