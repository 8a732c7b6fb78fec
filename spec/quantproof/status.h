/* SPDX-License-Identifier: Apache-2.0
 *
 * The words every part of quantproof shares: formats, profiles, status codes and the place
 * an error was found. Plain C, so that the C ABI (qp.h) and the C++ sources use the same enum.
 * Text: spec/formats/README.md. Numbers are stable: a number is never reused.
 */
#ifndef QUANTPROOF_STATUS_H_
#define QUANTPROOF_STATUS_H_

#include <stddef.h> /* NOLINT(modernize-deprecated-headers): also C */
#include <stdint.h> /* NOLINT(modernize-deprecated-headers): also C */

typedef enum qp_format {
  QP_IQ3_XXS = 1, /* ggml IQ3_XXS: 98 bytes per 256 weights, scale first */
  QP_E8_IQ3 = 2   /* colibri fmt=6: the same content, scale last, half the value */
} qp_format;

/* What a decoder does with the binary16 scale (spec/formats/half.md, clause 3). */
typedef enum qp_profile {
  QP_PROFILE_STRICT = 0, /* IEEE 754 widening; infinite and NaN scales are errors */
  QP_PROFILE_GGML = 1,   /* IEEE 754 widening; infinite and NaN scales decode */
  QP_PROFILE_COLIBRI = 2 /* as ggml, but a subnormal scale widens to +-2^-14 (1 + m/1024) */
} qp_profile;

typedef enum qp_status {
  QP_OK = 0,
  QP_BAD_ARGUMENT = 1,             /* null pointer, unknown format or profile */
  QP_BAD_WIDTH = 2,                /* number of weights that the format cannot hold */
  QP_BAD_SIZE = 3,                 /* byte count is not the one the number of weights needs */
  QP_SCALE_NOT_FINITE = 4,         /* the scale of a block is infinite or NaN */
  QP_TRANSCODE_OVERFLOW = 5,       /* doubling the scale would leave the finite range */
  QP_TRANSCODE_INEXACT = 6,        /* halving the scale would lose a bit */
  QP_UNKNOWN_LEVEL = 7,            /* no kernel of that name was compiled */
  QP_UNSUPPORTED_LEVEL = 8,        /* compiled, but this CPU cannot run it */
  QP_POINT_OUT_OF_RANGE = 9,       /* a coordinate's magnitude exceeds 2^30 units of 2^-13 */
  QP_POINT_NOT_FINITE = 10,        /* a coordinate is infinite or NaN */
  QP_BAD_MAGIC = 11,               /* the first bytes are not those of the format */
  QP_BAD_HEADER = 12,              /* a header field has a value that the others do not allow */
  QP_ROW_OUT_OF_RANGE = 13,        /* rows were asked for that the tensor does not have */
  QP_INDEX_OUT_OF_RANGE = 14,      /* a column number is not below the number of columns */
  QP_INDEX_NOT_ASCENDING = 15,     /* a column number is not above the one before it */
  QP_PADDING_NOT_ZERO = 16,        /* unused bits that are not all 0 */
  QP_TRITS_OUT_OF_RANGE = 17,      /* a number that stands for five or four trits is too large */
  QP_FIX_OUT_OF_RANGE = 18,        /* a sum-fix from 24 to 30 */
  QP_FIX_ON_ZERO = 19,             /* the sum-fix names a coordinate whose trit is 0 */
  QP_POINT_NOT_REPRESENTABLE = 20, /* no code stands for these 24 numbers */
  QP_WEIGHT_NOT_FINITE = 21,       /* a weight to be encoded is infinite or NaN */
  QP_WEIGHT_OUT_OF_RANGE = 22,     /* a weight to be encoded is too large for the format */
  QP_IMPORTANCE_NOT_FINITE = 23,   /* the importance of a column is infinite or NaN */
  QP_IMPORTANCE_NEGATIVE = 24,     /* the importance of a column is below 0 */
  QP_OUT_OF_MEMORY = 25            /* memory to work in was not to be had */
} qp_status;

/* Where an error was found. `field` is a static string ("scale", "n_bytes", ...), never null. */
typedef struct qp_location {
  uint64_t block;    /* index of the block, from 0 */
  uint64_t offset;   /* byte offset of the field from the start of the input */
  const char *field; /* name of the field or argument, as in the format's text */
} qp_location;

#endif
