// SPDX-License-Identifier: GPL-2.0-or-later
// A list whose newest member is at the head, threaded through its members (the kernel's hlist, and list_head with list_add).
#pragma once

namespace elvcheck::bfq {

template <class T, auto Node>
class IntrusiveList;

template <class T>
struct ListNode {
  T* prev = nullptr;
  T* next = nullptr;
  void* list = nullptr;  // the list it is in, or null
  bool linked() const { return list != nullptr; }
};

/// @tparam Node the member of T that holds the links, a ListNode<T> T::*
template <class T, auto Node>
class IntrusiveList {
 public:
  IntrusiveList() = default;
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  bool empty() const { return head_ == nullptr; }
  T* front() const { return head_; }
  static T* next(const T& item) { return (item.*Node).next; }

  void push_front(T& item) {
    ListNode<T>& node = item.*Node;
    node = ListNode<T>{nullptr, head_, this};
    if (head_ != nullptr) (head_->*Node).prev = &item;
    head_ = &item;
  }
  /// Takes the item out of whichever list it is in; nothing happens if it is in none (hlist_del_init).
  static void unlink(T& item) {
    ListNode<T>& node = item.*Node;
    if (!node.linked()) return;
    auto& list = *static_cast<IntrusiveList*>(node.list);
    (node.prev != nullptr ? (node.prev->*Node).next : list.head_) = node.next;
    if (node.next != nullptr) (node.next->*Node).prev = node.prev;
    node = ListNode<T>{};
  }
  void clear() {
    while (head_ != nullptr) unlink(*head_);
  }

 private:
  T* head_ = nullptr;
};

}  // namespace elvcheck::bfq
