// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>

#include "model/core/bio.hpp"
#include "model/scheduler/registry.hpp"

namespace elvcheck {

/// kyber's scheduling domains, in the order in which they take turns.
enum class KyberDomain : std::uint8_t { read, write, discard, other };
inline constexpr std::size_t kyber_domains = 4;

struct KyberDomainInfo {
  const char* name;
  unsigned depth;      ///< most requests in flight; what a domain starts with
  unsigned batch;      ///< most requests in a row while another domain has some
  Nanoseconds target;  ///< latency; 0 where it is not measured
};

/// kyber_depth, kyber_batch_size and kyber_latency_targets of block/kyber-iosched.c (6.1 and 6.12).
inline constexpr std::array<KyberDomainInfo, kyber_domains> kyber_domain_table{
    {{"read", 256, 16, 2ms}, {"write", 128, 8, 10ms}, {"discard", 64, 1, 5s}, {"other", 16, 1, 0ns}}};

/// The domain of an operation as the scheduler sees it. An empty flush travels as a write without data.
inline KyberDomain kyber_domain(Op op) {
  switch (op) {
    case Op::read:
      return KyberDomain::read;
    case Op::discard:
      return KyberDomain::discard;
    default:
      return KyberDomain::write;
  }
}

/// Percentage of the scheduler's tags that asynchronous requests may hold.
inline constexpr unsigned kyber_async_percent = 75;

namespace kyber_rule {
/// The depth of a domain was changed; its numbers are the domain, the depth before and after, and the bucket of the 99th
/// percentile.
extern const DecisionRule adjust;
}  // namespace kyber_rule

std::span<const TunableInfo> kyber_tunables();
std::span<const DecisionRule* const> kyber_rules();

/// kyber of 6.1.
std::unique_ptr<MultiQueueElevator> make_kyber_6_1(ElevatorHost& host, const TunableValues& tunables);
/// kyber of 6.12.
std::unique_ptr<MultiQueueElevator> make_kyber_6_12(ElevatorHost& host, const TunableValues& tunables);

}  // namespace elvcheck
