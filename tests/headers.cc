// SPDX-License-Identifier: Apache-2.0
//
// A program without tests, which holds the precompiled headers of the others.
