// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_REPORT_ESCAPED_H_
#define QUANTPROOF_TOOLS_REPORT_ESCAPED_H_

#include <string>

namespace quantproof::report {

// Text as the content or an attribute of XML or HTML, on one line.
std::string escaped(const std::string& text);

}  // namespace quantproof::report

#endif
