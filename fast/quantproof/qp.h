/* SPDX-License-Identifier: Apache-2.0
 *
 * quantproof's C ABI: fast decoding and transcoding of low-bit weight blocks and tensors, and
 * nearest points of the Leech lattice, bit-identical to the specification (spec/formats/) on every
 * CPU level.
 *
 *   #include <quantproof/qp.h>
 *   float weights[256];
 *   qp_status status = qp_decode(QP_IQ3_XXS, block, 98, weights, 256);
 *   if (status != QP_OK) fprintf(stderr, "%s\n", qp_status_name(status));
 *
 * Rules of every function here: no exception leaves it; it reads and writes only inside the
 * ranges it was given; no pointer needs an alignment beyond its type's (byte pointers: any);
 * input and output must not overlap unless the function says so; it may be called from any
 * number of threads at once. A pointer may be null only where its count is 0.
 */
#ifndef QUANTPROOF_QP_H_
#define QUANTPROOF_QP_H_

#include <quantproof/status.h>

#if defined(_WIN32)
#define QP_API
#else
#define QP_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Number of bytes of a row of `n_values` weights. 0 when n_values is 0 or does not fit the
 * format (IQ3_XXS: not a multiple of 256; unknown format). */
QP_API size_t qp_row_size(qp_format format, size_t n_values);

/* Decodes one row under profile strict: `n_values` weights as binary32 to `out` from `n_bytes`
 * bytes. `n_values`: IQ3_XXS any multiple of 256, E8/IQ3 any; `n_bytes`: exactly qp_row_size().
 * Rows of whole blocks may be decoded many at a time, as one long row.
 * Errors, in this order: QP_BAD_ARGUMENT, QP_BAD_WIDTH, QP_BAD_SIZE (nothing written), then
 * block by block QP_SCALE_NOT_FINITE (the blocks before it have been written, nothing else). */
QP_API qp_status qp_decode(qp_format format, const void *bytes, size_t n_bytes, float *out,
                           size_t n_values);

/* As qp_decode, under any profile; on an error *where (or NULL) receives the place. */
QP_API qp_status qp_decode_at(qp_profile profile, qp_format format, const void *bytes,
                              size_t n_bytes, float *out, size_t n_values, qp_location *where);

/* Rewrites `n_blocks` blocks of 98 bytes from one format to the other so that every weight keeps
 * its exact value. `in` and `out` are the same buffer or do not overlap. A scale whose double or
 * half is not a finite binary16 is refused with QP_SCALE_NOT_FINITE, QP_TRANSCODE_OVERFLOW or
 * QP_TRANSCODE_INEXACT: the blocks before it have been written, nothing else. */
QP_API qp_status qp_transcode(qp_format from, const void *in, qp_format to, void *out,
                              size_t n_blocks);

/* As qp_transcode; on an error *where (or NULL) receives the place in the input. */
QP_API qp_status qp_transcode_at(qp_format from, const void *in, qp_format to, void *out,
                                 size_t n_blocks, qp_location *where);

/* How hard qp_encode searches for the scale of a block (spec/formats/encoding.md, clause 9). */
typedef enum qp_effort {
  QP_EFFORT_DEFAULT = 0,
  QP_EFFORT_FAST = 1, /* about twice the speed, somewhat more error */
  QP_EFFORT_BEST = 2  /* a tenth of the speed, within a hair of the least error there is */
} qp_effort;

/* What qp_encode weighs the squared error of a weight x with (spec/formats/encoding.md, clause 3).
 */
typedef enum qp_weighting {
  QP_WEIGHTING_IMPORTANCE = 0, /* the importance of its column */
  QP_WEIGHTING_GGML = 1        /* that times sqrt(sigma2 + x^2), as llama.cpp's encoders do */
} qp_weighting;

/* `struct_size`: sizeof(qp_encode_options). Zeros elsewhere are the defaults. */
typedef struct qp_encode_options {
  size_t struct_size;
  qp_effort effort;
  qp_weighting weighting;
} qp_encode_options;

/* Number of bytes of `rows` rows of `cols` weights. 0 when there are none, when cols does not fit
 * the format, or when the number exceeds a size_t. */
QP_API size_t qp_encoded_size(qp_format format, size_t rows, size_t cols);

/* Encodes `rows` rows of `cols` weights, row by row at `x`, to `n_bytes` bytes, exactly
 * qp_encoded_size(). `importance`: cols numbers of at least 0, E[x^2] of the inputs that meet the
 * column, or NULL for all ones. `options`: NULL for the defaults. The bytes are the ones that
 * spec/formats/encoding.md states: the same on every level, with every compiler, in every split
 * into rows. A block of weights that some block decodes to is stored exactly. Needs about 80 KiB of
 * stack. Errors, in this order, nothing written: QP_BAD_ARGUMENT, QP_BAD_WIDTH, QP_BAD_SIZE,
 * QP_IMPORTANCE_NOT_FINITE or QP_IMPORTANCE_NEGATIVE at the first such column, then
 * QP_WEIGHT_NOT_FINITE or QP_WEIGHT_OUT_OF_RANGE (beyond 31,474,672 in IQ3_XXS, half of it in
 * E8/IQ3) at the first such weight. */
QP_API qp_status qp_encode(qp_format format, const float *x, size_t rows, size_t cols,
                           const float *importance, void *bytes, size_t n_bytes,
                           const qp_encode_options *options);

/* As qp_encode; on an error *where (or NULL) receives the place: `block` is the block of the
 * output that the number belongs to (of the first row, for an importance), `offset` its byte
 * offset in `x` or `importance`, `field` "x" or "importance". */
QP_API qp_status qp_encode_at(qp_format format, const float *x, size_t rows, size_t cols,
                              const float *importance, void *bytes, size_t n_bytes,
                              const qp_encode_options *options, qp_location *where);

/* colibri's rotation of rows (spec/formats/rotation.md), in place: each of `rows` rows of `cols`
 * numbers, or its inverse. Errors: QP_BAD_ARGUMENT, nothing written. */
QP_API qp_status qp_rotate(float *x, size_t rows, size_t cols);
QP_API qp_status qp_unrotate(float *x, size_t rows, size_t cols);

/* The nearest points of the Leech lattice (spec/formats/leech.md) to `n` points, as rows of 24
 * integers to `out`; the lattice is the one of integer coordinates, its least squared norm 32.
 * `points`: n rows of 24 coordinates in units of 2^-13 (8192 is 1.0), of magnitude at most 2^30.
 * The answer is the nearest point exactly, ties decided by the text's order, and the same on every
 * level. Any n; some tens of nanoseconds a point, more by a bounded factor on inputs made of ties.
 * Needs about 80 KiB of stack.
 * Errors: QP_BAD_ARGUMENT (nothing written), QP_POINT_OUT_OF_RANGE (the points before it have
 * been written, nothing else). */
QP_API qp_status qp_leech_nearest(const int32_t *points, size_t n, int32_t *out);

/* As qp_leech_nearest; on an error *where (or NULL) receives the place: `block` is the index of
 * the point, `offset` the byte offset of the coordinate in the input. */
QP_API qp_status qp_leech_nearest_at(const int32_t *points, size_t n, int32_t *out,
                                     qp_location *where);

/* As qp_leech_nearest from binary32 coordinates in lattice units: each is first rounded to the
 * nearest multiple of 2^-13, ties to even, whatever the rounding mode. An infinite or NaN
 * coordinate is QP_POINT_NOT_FINITE. */
QP_API qp_status qp_leech_nearest_float(const float *points, size_t n, int32_t *out);

/* As qp_leech_nearest_float; on an error *where (or NULL) receives the place. */
QP_API qp_status qp_leech_nearest_float_at(const float *points, size_t n, int32_t *out,
                                           qp_location *where);

/* The shape of a KAIJU1 tensor (spec/formats/kaiju1.md): `n_bytes` bytes at `tensor`, which must
 * be exactly one. Looks at the header and the size only.
 * Errors, nothing written: QP_BAD_ARGUMENT, QP_BAD_SIZE, QP_BAD_MAGIC, QP_BAD_HEADER. */
QP_API qp_status qp_kaiju1_shape(const void *tensor, size_t n_bytes, size_t *rows, size_t *cols);

/* As qp_kaiju1_shape; on an error *where (or NULL) receives the place. */
QP_API qp_status qp_kaiju1_shape_at(const void *tensor, size_t n_bytes, size_t *rows, size_t *cols,
                                    qp_location *where);

/* Decodes rows [first_row, first_row + rows) of a KAIJU1 tensor: rows x cols weights as binary32
 * to `out`, row by row. The processor must round to nearest, which it does unless told otherwise.
 * A call judges the header and the whole side-band's columns and scales first, so many rows at a
 * time are better than one. Needs about 120 KiB of stack.
 * Errors: those of qp_kaiju1_shape, then QP_ROW_OUT_OF_RANGE, QP_INDEX_OUT_OF_RANGE,
 * QP_INDEX_NOT_ASCENDING and QP_SCALE_NOT_FINITE of a channel (nothing written); then row by row
 * QP_SCALE_NOT_FINITE, QP_PADDING_NOT_ZERO, QP_TRITS_OUT_OF_RANGE, QP_FIX_OUT_OF_RANGE,
 * QP_FIX_ON_ZERO (the rows before that row have been written, nothing else). */
QP_API qp_status qp_kaiju1_decode_rows(const void *tensor, size_t n_bytes, size_t first_row,
                                       size_t rows, float *out);

/* As qp_kaiju1_decode_rows; on an error *where (or NULL) receives the place: `block` is the row,
 * the entry of HiIndex or the channel, `offset` counts from the start of the tensor. */
QP_API qp_status qp_kaiju1_decode_rows_at(const void *tensor, size_t n_bytes, size_t first_row,
                                          size_t rows, float *out, qp_location *where);

/* Bytes of a KAIJU1 tensor of this shape with at least `hi_frac` millionths of its columns in the
 * side-band. 0 when there is none: rows or cols of 2^32 or more, hi_frac above 1,000,000, or a size
 * of 2^64 or more. */
QP_API size_t qp_kaiju1_size(size_t rows, size_t cols, uint32_t hi_frac);

/* Encodes rows x cols weights, row by row at `weights`, as a KAIJU1 tensor: the canonical encoder
 * of the text, whose bytes are the same everywhere. `importance`: cols numbers, each at least 0,
 * such as the mean squared input of each column, or NULL for all ones; `hi_frac` in millionths,
 * 100000 is usual; `threads`: rows that are encoded at once, at least 1; `n_bytes`: exactly
 * qp_kaiju1_size(). The processor must round to nearest. Takes memory in proportion to cols and
 * threads. Errors, and then `tensor` holds nothing of use: QP_BAD_ARGUMENT, QP_BAD_WIDTH,
 * QP_BAD_SIZE, QP_IMPORTANCE_NOT_FINITE, QP_IMPORTANCE_NEGATIVE, QP_WEIGHT_NOT_FINITE,
 * QP_WEIGHT_OUT_OF_RANGE (nothing written), QP_OUT_OF_MEMORY. */
QP_API qp_status qp_kaiju1_encode(const float *weights, size_t rows, size_t cols,
                                  const float *importance, uint32_t hi_frac, size_t threads,
                                  void *tensor, size_t n_bytes);

/* As qp_kaiju1_encode; on an error *where (or NULL) receives the place: `block` is the row of a
 * weight or the column of an importance, `offset` its byte offset. */
QP_API qp_status qp_kaiju1_encode_at(const float *weights, size_t rows, size_t cols,
                                     const float *importance, uint32_t hi_frac, size_t threads,
                                     void *tensor, size_t n_bytes, qp_location *where);

/* The nearest points of the Leech lattice that a KAIJU1 code can hold; points, answer and errors as
 * for qp_leech_nearest. Points with ties, or with coordinates above 64, take some hundred times as
 * long as others. */
QP_API qp_status qp_kaiju1_nearest(const int32_t *points, size_t n, int32_t *out);

/* As qp_kaiju1_nearest; on an error *where (or NULL) receives the place. */
QP_API qp_status qp_kaiju1_nearest_at(const int32_t *points, size_t n, int32_t *out,
                                      qp_location *where);

/* A static name such as "scale_not_finite"; "unknown_status" for a number that is none. */
QP_API const char *qp_status_name(qp_status status);

/* The version of the library, "MAJOR.MINOR.PATCH". */
QP_API const char *qp_version(void);

/* CPU levels. A level is one compilation of the kernels; its name is Highway's target name
 * (SCALAR or EMU128 portable, SSSE3, SSE4, AVX2, AVX3 = AVX-512 of Skylake-X, AVX3_DL = of Ice
 * Lake, NEON, SVE, ...). All levels give the same bits. The best one that the CPU supports is used
 * unless qp_force_level, or the environment variable QP_LEVEL at the first call, says otherwise. */
QP_API const char *qp_level(void);          /* the level in use */
QP_API size_t qp_level_count(void);         /* levels compiled into this library */
QP_API const char *qp_level_name(size_t i); /* i < qp_level_count(), best first; else NULL */
QP_API int qp_level_supported(size_t i);    /* 1 when this CPU can run level i, else 0 */
/* Uses level `name` from now on, in all threads; NULL: the best supported one again.
 * QP_UNKNOWN_LEVEL or QP_UNSUPPORTED_LEVEL leave the level as it was. */
QP_API qp_status qp_force_level(const char *name);

#ifdef __cplusplus
}
#endif

#endif
