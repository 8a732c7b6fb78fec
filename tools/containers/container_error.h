// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_CONTAINERS_CONTAINER_ERROR_H_
#define QUANTPROOF_TOOLS_CONTAINERS_CONTAINER_ERROR_H_

#include <stdexcept>

namespace quantproof::containers {

// A file that is not what its format asks for. The message names file, tensor and field.
class ContainerError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that cannot be opened, read or written.
class FileError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace quantproof::containers

#endif
