// SPDX-License-Identifier: GPL-2.0-or-later
// Defects planted into DeadlineCore, to see that the theorems notice them.
//
// Each is the core itself, called with something withheld or forged, or with an effect undone: no decision is written a
// second time, and the simulation knows nothing of it.
#pragma once

#include "model/scheduler/deadline_core.hpp"

namespace elvcheck {

/// fifo_batch is never reached: a batch goes on as long as there is a next request.
template <Domain D>
struct BatchNeverEnds : DeadlineCore<D> {
  DeadlineChoice<D> choose(const DeadlineQueueView<D>& reads, const DeadlineQueueView<D>& writes) const {
    DeadlineCore<D> forgetful = *this;
    forgetful.batching = typename D::Num(0);
    return forgetful.choose(reads, writes);
  }
};

/// A dispatch does not count towards fifo_batch.
template <Domain D>
struct BatchNotCounted : DeadlineCore<D> {
  void commit(const DeadlineQueueView<D>& reads, const DeadlineQueueView<D>& writes, const DeadlineChoice<D>& choice,
              typename D::Bool) {
    DeadlineCore<D>::commit(reads, writes, choice, typename D::Bool(false));
  }
};

/// The counter of a new batch starts where that of the last one ended.
template <Domain D>
struct BatchCountKept : DeadlineCore<D> {
  void commit(const DeadlineQueueView<D>& reads, const DeadlineQueueView<D>& writes, const DeadlineChoice<D>& choice,
              typename D::Bool dispatched) {
    const typename D::Num before = this->batching;
    DeadlineCore<D>::commit(reads, writes, choice, dispatched);
    this->batching = D::select(dispatched, before + typename D::Num(1), before);
  }
};

/// A read's deadline is not looked at when a batch starts.
template <Domain D>
struct ExpiryIgnored : DeadlineCore<D> {
  DeadlineChoice<D> choose(const DeadlineQueueView<D>& reads, const DeadlineQueueView<D>& writes) const {
    DeadlineQueueView<D> never_late = reads;
    never_late.expired = typename D::Bool(false);
    return DeadlineCore<D>::choose(never_late, writes);
  }
};

/// A read's deadline is looked at before every dispatch, not only when a batch starts. (An improvement, but not the
/// promise.)
template <Domain D>
struct ExpiryEndsBatch : DeadlineCore<D> {
  DeadlineChoice<D> choose(const DeadlineQueueView<D>& reads, const DeadlineQueueView<D>& writes) const {
    DeadlineCore<D> impatient = *this;
    impatient.batching = D::select(reads.pending && reads.expired, this->fifo_batch, this->batching);
    return impatient.choose(reads, writes);
  }
};

/// Writes go first whenever there are any, as if writes_starved were 0.
template <Domain D>
struct WritesFirst : DeadlineCore<D> {
  DeadlineChoice<D> choose(const DeadlineQueueView<D>& reads, const DeadlineQueueView<D>& writes) const {
    DeadlineCore<D> hasty = *this;
    hasty.writes_starved = typename D::Num(0);
    return hasty.choose(reads, writes);
  }
};

/// Reads go first whenever there are any, however long writes have waited.
template <Domain D>
struct ReadsFirst : DeadlineCore<D> {
  DeadlineChoice<D> choose(const DeadlineQueueView<D>& reads, const DeadlineQueueView<D>& writes) const {
    DeadlineCore<D> deaf = *this;
    deaf.writes_starved = this->starved + typename D::Num(1);
    return deaf.choose(reads, writes);
  }
};

/// A write batch does not reset the count of passed-over writes: once reached, the limit stays reached.
template <Domain D>
struct StarvedNeverReset : DeadlineCore<D> {
  void commit(const DeadlineQueueView<D>& reads, const DeadlineQueueView<D>& writes, const DeadlineChoice<D>& choice,
              typename D::Bool dispatched) {
    const typename D::Num before = this->starved;
    DeadlineCore<D>::commit(reads, writes, choice, dispatched);
    this->starved = D::select(this->starved < before, before, this->starved);
  }
};

/// Read batches that pass waiting writes are not counted.
template <Domain D>
struct StarvedNotCounted : DeadlineCore<D> {
  void commit(const DeadlineQueueView<D>& reads, const DeadlineQueueView<D>& writes, const DeadlineChoice<D>& choice,
              typename D::Bool dispatched) {
    const typename D::Num before = this->starved;
    DeadlineCore<D>::commit(reads, writes, choice, dispatched);
    this->starved = D::select(before < this->starved, before, this->starved);
  }
};

}  // namespace elvcheck
