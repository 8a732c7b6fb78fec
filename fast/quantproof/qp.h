/* SPDX-License-Identifier: Apache-2.0
 *
 * quantproof's C ABI: fast decoding and transcoding of low-bit weight blocks, and nearest points
 * of the Leech lattice, bit-identical to the specification (spec/formats/) on every CPU level.
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
