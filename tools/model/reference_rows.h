// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_MODEL_REFERENCE_ROWS_H_
#define QUANTPROOF_TOOLS_MODEL_REFERENCE_ROWS_H_

#include "tools/containers/model_file.h"

namespace quantproof::model {

// All rows of a tensor of any type as binary32 to `out`, by the reference decoders alone. Throws
// ContainerError.
void decode_by_reference(const containers::ModelTensor& tensor, float* out);

}  // namespace quantproof::model

#endif
