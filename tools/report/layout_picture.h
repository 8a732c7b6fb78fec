// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_REPORT_LAYOUT_PICTURE_H_
#define QUANTPROOF_TOOLS_REPORT_LAYOUT_PICTURE_H_

#include <string>

namespace quantproof::report {

// A figure in HTML with the bytes and bits of a block of `format` ("iq3_xxs", "e8_iq3", "kaiju1"),
// drawn from the layouts of spec/quantproof; empty for all others.
std::string layout_picture(const std::string& format);

}  // namespace quantproof::report

#endif
