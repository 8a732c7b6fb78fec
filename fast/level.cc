// SPDX-License-Identifier: Apache-2.0
#include "fast/level.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "fast/targets.h"
#include "quantproof/qp.h"

namespace quantproof::fast {

namespace {

constexpr std::uint64_t kCompiled = static_cast<std::uint64_t>(HWY_TARGETS);
constexpr std::size_t kLevelCount = static_cast<std::size_t>(std::popcount(kCompiled));

// Lower bits are better targets.
constexpr std::array<std::int64_t, kLevelCount> make_levels() {
  std::array<std::int64_t, kLevelCount> levels{};
  std::uint64_t rest = kCompiled;
  for (auto& level : levels) {
    level = static_cast<std::int64_t>(rest & (~rest + 1));
    rest &= rest - 1;
  }
  return levels;
}

constexpr auto kLevelTargets = make_levels();

std::atomic<std::int64_t> g_active{0};  // 0: not chosen yet

bool supported(std::int64_t target) { return (hwy::SupportedTargets() & target) != 0; }

std::int64_t best_target() {
  for (const std::int64_t target : kLevelTargets) {
    if (supported(target)) return target;
  }
  return kLevelTargets.back();
}

qp_status find_level(const char* name, std::int64_t* target) {
  for (const std::int64_t candidate : kLevelTargets) {
    if (std::strcmp(name, hwy::TargetName(candidate)) != 0) continue;
    if (!supported(candidate)) return QP_UNSUPPORTED_LEVEL;
    *target = candidate;
    return QP_OK;
  }
  return QP_UNKNOWN_LEVEL;
}

// The environment's wish, or the best level where there is none or it cannot be granted.
std::int64_t initial_target() {
  std::int64_t target = 0;
  const char* wish = std::getenv("QP_LEVEL");  // NOLINT(concurrency-mt-unsafe): read only
  if (wish != nullptr && find_level(wish, &target) == QP_OK) return target;
  return best_target();
}

}  // namespace

std::int64_t active_target() {
  std::int64_t target = g_active.load(std::memory_order_relaxed);
  if (target != 0) return target;
  const std::int64_t initial = initial_target();
  // A level forced meanwhile by another thread wins.
  return g_active.compare_exchange_strong(target, initial, std::memory_order_relaxed) ? initial
                                                                                      : target;
}

}  // namespace quantproof::fast

using quantproof::fast::kLevelCount;
using quantproof::fast::kLevelTargets;

const char* qp_level(void) { return hwy::TargetName(quantproof::fast::active_target()); }

size_t qp_level_count(void) { return kLevelCount; }

const char* qp_level_name(size_t i) {
  return i < kLevelCount ? hwy::TargetName(kLevelTargets[i]) : nullptr;
}

int qp_level_supported(size_t i) {
  return i < kLevelCount && quantproof::fast::supported(kLevelTargets[i]) ? 1 : 0;
}

qp_status qp_force_level(const char* name) {
  std::int64_t target = 0;
  if (name == nullptr) {
    target = quantproof::fast::best_target();
  } else {
    const qp_status status = quantproof::fast::find_level(name, &target);
    if (status != QP_OK) return status;
  }
  quantproof::fast::g_active.store(target, std::memory_order_relaxed);
  return QP_OK;
}
