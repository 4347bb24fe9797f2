// SPDX-License-Identifier: GPL-2.0-or-later
#include "checker/z3/domain.hpp"

#include <algorithm>
#include <stdexcept>

namespace elvcheck {

namespace {

thread_local SymbolicScope* current_scope = nullptr;

z3::context& context() { return SymbolicScope::current().context(); }

/// The variables of a theorem end up in SMT-LIB files that other solvers read: plain names only.
void check_name(const std::string& name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
  if (!plain) {
    throw std::invalid_argument("variable name '" + name + "': use letters, digits, '_', '-' and '.' only");
  }
}

bool same_term(const z3::expr& a, const z3::expr& b) { return z3::eq(a, b); }

template <class Value>
bool same(const Value& a, const Value& b) {
  if (a.constant() && b.constant()) return *a.constant() == *b.constant();
  return !a.constant() && !b.constant() && same_term(a.term(), b.term());
}

template <Sort S>
bool is(const SymbolicNum<S>& n, std::int64_t value) {
  return n.constant() == value;
}

}  // namespace

SymbolicScope::SymbolicScope() : outer_(current_scope) { current_scope = this; }

SymbolicScope::~SymbolicScope() { current_scope = outer_; }

SymbolicScope& SymbolicScope::current() {
  if (current_scope == nullptr) throw std::logic_error("a symbolic value needs a SymbolicScope around it");
  return *current_scope;
}

SymbolicBool::SymbolicBool(const z3::expr& term) {
  if (term.is_true() || term.is_false()) {
    constant_ = term.is_true();
  } else {
    term_ = term;
  }
}

z3::expr SymbolicBool::term() const { return term_ ? *term_ : context().bool_val(constant_); }

SymbolicBool SymbolicBool::operator!() const { return term_ ? SymbolicBool(!*term_) : SymbolicBool(!constant_); }

SymbolicBool operator&&(const SymbolicBool& a, const SymbolicBool& b) {
  if (a.constant()) return *a.constant() ? b : a;
  if (b.constant()) return *b.constant() ? a : b;
  return same(a, b) ? a : SymbolicBool(*a.term_ && *b.term_);
}

SymbolicBool operator||(const SymbolicBool& a, const SymbolicBool& b) {
  if (a.constant()) return *a.constant() ? a : b;
  if (b.constant()) return *b.constant() ? b : a;
  return same(a, b) ? a : SymbolicBool(*a.term_ || *b.term_);
}

SymbolicBool operator==(const SymbolicBool& a, const SymbolicBool& b) {
  if (a.constant()) return *a.constant() ? b : !b;
  if (b.constant()) return *b.constant() ? a : !a;
  return same(a, b) ? SymbolicBool(true) : SymbolicBool(*a.term_ == *b.term_);
}

template <Sort S>
SymbolicNum<S>::SymbolicNum(const z3::expr& term) : term_(term) {
  if (S == Sort::integer ? !term.is_int() : !term.is_real()) throw std::invalid_argument("term of the wrong sort");
  std::int64_t value = 0;
  if (S == Sort::integer && term.is_numeral_i64(value)) {
    term_.reset();
    constant_ = value;
  }
}

template <Sort S>
z3::expr SymbolicNum<S>::term() const {
  if (term_) return *term_;
  return S == Sort::integer ? context().int_val(constant_) : context().real_val(constant_);
}

template <Sort S>
SymbolicNum<S> operator+(const SymbolicNum<S>& a, const SymbolicNum<S>& b) {
  std::int64_t sum = 0;
  if (a.constant() && b.constant() && !__builtin_add_overflow(*a.constant(), *b.constant(), &sum)) return sum;
  if (is(a, 0)) return b;
  if (is(b, 0)) return a;
  return SymbolicNum<S>(a.term() + b.term());
}

template <Sort S>
SymbolicNum<S> operator-(const SymbolicNum<S>& a, const SymbolicNum<S>& b) {
  std::int64_t difference = 0;
  if (a.constant() && b.constant() && !__builtin_sub_overflow(*a.constant(), *b.constant(), &difference)) return difference;
  if (is(b, 0)) return a;
  if (same(a, b)) return 0;
  return SymbolicNum<S>(a.term() - b.term());
}

template <Sort S>
SymbolicNum<S> operator*(const SymbolicNum<S>& a, const SymbolicNum<S>& b) {
  std::int64_t product = 0;
  if (a.constant() && b.constant() && !__builtin_mul_overflow(*a.constant(), *b.constant(), &product)) return product;
  if (is(a, 0) || is(b, 0)) return 0;
  if (is(a, 1)) return b;
  if (is(b, 1)) return a;
  return SymbolicNum<S>(a.term() * b.term());
}

template <Sort S>
SymbolicBool operator<(const SymbolicNum<S>& a, const SymbolicNum<S>& b) {
  if (a.constant() && b.constant()) return *a.constant() < *b.constant();
  return same(a, b) ? SymbolicBool(false) : SymbolicBool(a.term() < b.term());
}

template <Sort S>
SymbolicBool operator<=(const SymbolicNum<S>& a, const SymbolicNum<S>& b) {
  if (a.constant() && b.constant()) return *a.constant() <= *b.constant();
  return same(a, b) ? SymbolicBool(true) : SymbolicBool(a.term() <= b.term());
}

template <Sort S>
SymbolicBool operator==(const SymbolicNum<S>& a, const SymbolicNum<S>& b) {
  if (a.constant() && b.constant()) return *a.constant() == *b.constant();
  return same(a, b) ? SymbolicBool(true) : SymbolicBool(a.term() == b.term());
}

template <Sort S>
SymbolicNum<S> SymbolicDomain<S>::select(const Bool& condition, const Num& yes, const Num& no) {
  if (condition.constant()) return *condition.constant() ? yes : no;
  if (same(yes, no)) return yes;
  return Num(z3::ite(condition.term(), yes.term(), no.term()));
}

template <Sort S>
SymbolicBool SymbolicDomain<S>::select(const Bool& condition, const Bool& yes, const Bool& no) {
  if (condition.constant()) return *condition.constant() ? yes : no;
  if (same(yes, no)) return yes;
  if (yes.constant()) return *yes.constant() ? condition || no : !condition && no;
  if (no.constant()) return *no.constant() ? !condition || yes : condition && yes;
  return Bool(z3::ite(condition.term(), yes.term(), no.term()));
}

template <Sort S>
SymbolicNum<S> SymbolicDomain<S>::halve(const Num& n) {
  if (n.constant()) return *n.constant() >> 1;  // an arithmetic shift rounds down
  if constexpr (S == Sort::integer) {
    return Num(n.term() / context().int_val(2));  // SMT-LIB's div by a positive constant rounds down
  } else {
    return Num(z3::expr(context(), Z3_mk_int2real(context(), Z3_mk_real2int(context(), n.term() / context().real_val(2)))));
  }
}

template <Sort S>
SymbolicNum<S> SymbolicDomain<S>::divide(const Num& a, const Num& b) requires(S == Sort::integer) {
  if (a.constant() && b.constant() && *b.constant() > 0 && *a.constant() >= 0) return *a.constant() / *b.constant();
  return Num(a.term() / b.term());  // SMT-LIB's div by a positive number rounds down
}

template <Sort S>
SymbolicNum<S> SymbolicDomain<S>::variable(const std::string& name) {
  check_name(name);
  return Num(S == Sort::integer ? context().int_const(name.c_str()) : context().real_const(name.c_str()));
}

template <Sort S>
SymbolicBool SymbolicDomain<S>::condition(const std::string& name) {
  check_name(name);
  return Bool(context().bool_const(name.c_str()));
}

template class SymbolicNum<Sort::integer>;
template class SymbolicNum<Sort::real>;
template struct SymbolicDomain<Sort::integer>;
template struct SymbolicDomain<Sort::real>;

#define ELVCHECK_INSTANTIATE(S)                                                    \
  template SymbolicNum<S> operator+(const SymbolicNum<S>&, const SymbolicNum<S>&); \
  template SymbolicNum<S> operator-(const SymbolicNum<S>&, const SymbolicNum<S>&); \
  template SymbolicNum<S> operator*(const SymbolicNum<S>&, const SymbolicNum<S>&); \
  template SymbolicBool operator<(const SymbolicNum<S>&, const SymbolicNum<S>&);   \
  template SymbolicBool operator<=(const SymbolicNum<S>&, const SymbolicNum<S>&);  \
  template SymbolicBool operator==(const SymbolicNum<S>&, const SymbolicNum<S>&);
ELVCHECK_INSTANTIATE(Sort::integer)
ELVCHECK_INSTANTIATE(Sort::real)
#undef ELVCHECK_INSTANTIATE

}  // namespace elvcheck
