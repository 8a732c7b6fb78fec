/* SPDX-License-Identifier: Apache-2.0
 * The C ABI from C. */
#include <stdio.h>
#include <string.h>

#include <quantproof/qp.h>

int main(void) {
  unsigned char block[98] = {0};
  float weights[256];
  size_t i;
  block[1] = 0x3C; /* d = 1.0 */
  if (qp_decode(QP_IQ3_XXS, block, sizeof block, weights, 256) != QP_OK) return 1;
  for (i = 0; i < 256; ++i) {
    if (weights[i] != 1.0f) return 2;
  }
  if (strcmp(qp_status_name(QP_SCALE_NOT_FINITE), "scale_not_finite") != 0) return 3;
  printf("libquantproof %s, level %s\n", qp_version(), qp_level());
  return 0;
}
