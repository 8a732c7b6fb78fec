// SPDX-License-Identifier: Apache-2.0
#ifndef QUANTPROOF_TOOLS_REPORT_PAGE_DATA_H_
#define QUANTPROOF_TOOLS_REPORT_PAGE_DATA_H_

namespace quantproof::report {

// The texts of page.css and page.js, which every page carries.
extern const char* const kPageStyle;
extern const char* const kPageScript;

}  // namespace quantproof::report

#endif
