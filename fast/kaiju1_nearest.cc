// SPDX-License-Identifier: Apache-2.0
#include "fast/kaiju1_nearest.h"

#include <algorithm>
#include <cstring>

#include "fast/kaiju1_coset.h"
#include "fast/leech.h"
#include "fast/leech_fixed.h"
#include "fast/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/kaiju1_nearest.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h:
#include "hwy/highway.h"

#if !HWY_HAVE_SCALABLE
#include "fast/kaiju1_nearest-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace quantproof {
namespace fast {
namespace HWY_NAMESPACE {

// Points whose nearest lattice point has no code, one vector of them at a time. Words that may
// still hold a nearer point wait in a list, so that full vectors of them are evaluated.
#if HWY_HAVE_SCALABLE
// Scalable vectors cannot be members of arrays.
HWY_NOINLINE void NearestInBox(const std::int32_t* const* points, std::size_t n,
                               std::int32_t* const* out) {
  for (std::size_t p = 0; p < n; ++p) kaiju1_nearest_point(points[p], out[p]);
}
#else
class BoxSearch {
 public:
  static constexpr std::size_t kPoints = 64;  // at once, at most

  void Search(const std::int32_t* const* points, std::size_t n, std::int32_t* const* out) {
    points_ = points;
    listed_ = 0;
    const std::size_t lanes = hwy::HWY_NAMESPACE::Lanes(kaiju1::D());
    for (std::size_t first = 0; first < n; first += lanes) {
      FilterGroup(first, std::min(lanes, n - first));
    }
    EvaluateList();
    for (std::size_t first = 0; first < n; first += lanes) {
      EmitGroup(first, std::min(lanes, n - first), out);
    }
  }

 private:
  // Gathers `n` points, the last one repeated up to a whole vector.
  template <class Number>
  void Gather(Number number, std::size_t n) {
    const std::size_t lanes = hwy::HWY_NAMESPACE::Lanes(kaiju1::D());
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::int32_t* const y = points_[number(std::min(lane, n - 1))];
      for (std::size_t i = 0; i < kLeechDimension; ++i) planes_[lanes * i + lane] = y[i];
    }
  }

  void Set(std::size_t point, std::int32_t word, std::int32_t cost) {
    word_[point] = word;
    cost_[point] = cost;
    tied_[point] = false;
  }

  void Improve(std::size_t point, std::int32_t word, std::int32_t cost) {
    if (cost < cost_[point]) {
      Set(point, word, cost);
    } else if (cost == cost_[point]) {
      tied_[point] = true;
    }
  }

  void FilterGroup(std::size_t first, std::size_t n) {
    const std::size_t lanes = hwy::HWY_NAMESPACE::Lanes(kaiju1::D());
    Gather([&](std::size_t lane) { return first + lane; }, n);
    alignas(64) std::int32_t words[kaiju1::kFavourites * kaiju1::kMostLanes];
    alignas(64) std::int32_t costs[kaiju1::kMostLanes];
    alignas(64) std::int32_t limits[kaiju1::kMostLanes];
    kaiju1::FilterWords(planes_, bounds_, words);
    for (std::size_t f = 0; f < kaiju1::kFavourites; ++f) {
      kaiju1::EvaluateWords(planes_, words + lanes * f, costs);
      for (std::size_t lane = 0; lane < n; ++lane) {
        const std::int32_t word = words[lanes * f + lane];
        bounds_[lanes * static_cast<std::size_t>(word) + lane] = kaiju1::kUnreached;  // done
        if (f == 0) {
          Set(first + lane, word, costs[lane]);
        } else {
          Improve(first + lane, word, costs[lane]);
        }
      }
    }
    std::fill_n(limits, lanes, -kaiju1::kUnreached);
    std::copy_n(cost_ + first, n, limits);
    const kaiju1::D d;
    const auto above =
        hwy::HWY_NAMESPACE::Add(hwy::HWY_NAMESPACE::Load(d, limits), hwy::HWY_NAMESPACE::Set(d, 1));
    for (std::size_t word = 0; word < kLeechWords; ++word) {
      const auto bound = hwy::HWY_NAMESPACE::Load(d, bounds_ + lanes * word);
      const auto open = hwy::HWY_NAMESPACE::Lt(bound, above);
      if (hwy::HWY_NAMESPACE::AllFalse(d, open)) continue;
      for (std::size_t lane = 0; lane < n; ++lane) {
        if (bounds_[lanes * word + lane] > cost_[first + lane]) continue;
        if (listed_ == kListSize) EvaluateList();
        list_[listed_++] = {static_cast<std::uint16_t>(first + lane),
                            static_cast<std::uint16_t>(word)};
      }
    }
  }

  HWY_NOINLINE void EvaluateList() {
    const std::size_t lanes = hwy::HWY_NAMESPACE::Lanes(kaiju1::D());
    for (std::size_t first = 0; first < listed_; first += lanes) {
      const std::size_t n = std::min(lanes, listed_ - first);
      alignas(64) std::int32_t words[kaiju1::kMostLanes];
      alignas(64) std::int32_t costs[kaiju1::kMostLanes];
      Gather([&](std::size_t lane) { return list_[first + lane].point; }, n);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        words[lane] = list_[first + std::min(lane, n - 1)].word;
      }
      kaiju1::EvaluateWords(planes_, words, costs);
      for (std::size_t lane = 0; lane < n; ++lane) {
        Improve(list_[first + lane].point, words[lane], costs[lane]);
      }
    }
    listed_ = 0;
  }

  void EmitGroup(std::size_t first, std::size_t n, std::int32_t* const* out) {
    const std::size_t lanes = hwy::HWY_NAMESPACE::Lanes(kaiju1::D());
    Gather([&](std::size_t lane) { return first + lane; }, n);
    alignas(64) std::int32_t words[kaiju1::kMostLanes] = {};
    alignas(64) std::int32_t unique[kaiju1::kMostLanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      words[lane] = word_[first + std::min(lane, n - 1)];
    }
    kaiju1::EmitPoints(planes_, words, emitted_, unique);
    for (std::size_t lane = 0; lane < n; ++lane) {
      std::int32_t* const x = out[first + lane];
      if (tied_[first + lane] || unique[lane] == 0) {
        kaiju1_nearest_point(points_[first + lane], x);  // the order of 7.2 to 7.4
      } else {
        for (std::size_t i = 0; i < kLeechDimension; ++i) x[i] = emitted_[lanes * i + lane];
      }
    }
  }

  struct Entry {
    std::uint16_t point;
    std::uint16_t word;
  };
  static constexpr std::size_t kListSize = 1024;

  alignas(64) std::int32_t planes_[kLeechDimension * kaiju1::kMostLanes];
  alignas(64) std::int32_t emitted_[kLeechDimension * kaiju1::kMostLanes];
  alignas(64) std::int32_t bounds_[kLeechWords * kaiju1::kMostLanes];
  std::int32_t word_[kPoints];
  std::int32_t cost_[kPoints];
  bool tied_[kPoints];
  Entry list_[kListSize];
  std::size_t listed_ = 0;
  const std::int32_t* const* points_ = nullptr;
};

HWY_NOINLINE void NearestInBox(const std::int32_t* const* points, std::size_t n,
                               std::int32_t* const* out) {
  BoxSearch search;
  const std::int32_t* near[BoxSearch::kPoints];
  std::int32_t* near_out[BoxSearch::kPoints];
  std::size_t count = 0;
  for (std::size_t p = 0; p < n; ++p) {
    bool far = false;
    for (std::size_t i = 0; i < kLeechDimension; ++i) {
      far |= points[p][i] > kaiju1::kBoxPointLimit || points[p][i] < -kaiju1::kBoxPointLimit;
    }
    if (far) {
      kaiju1_nearest_point(points[p], out[p]);
    } else {
      near[count] = points[p];
      near_out[count++] = out[p];
    }
    if (count == BoxSearch::kPoints || (p + 1 == n && count > 0)) {
      search.Search(near, count, near_out);
      count = 0;
    }
  }
}
#endif

// A lattice point that is nearest of all and has a code is the answer (KAIJU1-NEAREST-2).
qp_status Kaiju1Nearest(const std::int32_t* points, std::size_t n, std::int32_t* out,
                        qp_location* where) {
  constexpr std::size_t kChunk = 256;
  const LeechFunction leech = leech_nearest(HWY_TARGET);
  const std::int32_t* open[kChunk];
  std::int32_t* open_out[kChunk];
  for (std::size_t first = 0; first < n; first += kChunk) {
    const std::size_t count = std::min(kChunk, n - first);
    const std::int32_t* const chunk = points + kLeechDimension * first;
    std::int32_t* const chunk_out = out + kLeechDimension * first;
    qp_location place{0, 0, ""};
    const qp_status status = leech(chunk, count, chunk_out, &place);
    const std::size_t good = status == QP_OK ? count : static_cast<std::size_t>(place.block);
    std::size_t n_open = 0;
    for (std::size_t p = 0; p < good; ++p) {
      if (is_kaiju1_point(chunk_out + kLeechDimension * p)) continue;
      open[n_open] = chunk + kLeechDimension * p;
      open_out[n_open++] = chunk_out + kLeechDimension * p;
    }
    NearestInBox(open, n_open, open_out);
    if (status != QP_OK) {
      if (where != nullptr) {
        *where = {first + place.block,
                  sizeof(std::int32_t) * kLeechDimension * first + place.offset, place.field};
      }
      return status;
    }
  }
  return QP_OK;
}

}  // namespace HWY_NAMESPACE
}  // namespace fast
}  // namespace quantproof
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantproof::fast {

HWY_EXPORT(Kaiju1Nearest);

Kaiju1NearestFunction kaiju1_nearest(std::int64_t target) {
  return QP_KERNEL_FOR(Kaiju1Nearest, target);
}

}  // namespace quantproof::fast
#endif
