// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TESTS_TEST_FOLDER_H_
#define QUANTPROOF_TESTS_TEST_FOLDER_H_

#include <algorithm>
#include <filesystem>
#include <string>

#include "gtest/gtest.h"

namespace quantproof::tests {

// A folder of the running test's own, with a slash at the end: tests run at the same time.
inline std::string test_folder() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = "quantproof_";
  if (test != nullptr) name += std::string(test->test_suite_name()) + "." + test->name();
  std::replace(name.begin(), name.end(), '/', '_');
  const std::string folder = testing::TempDir() + name + "/";
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace quantproof::tests

#endif
