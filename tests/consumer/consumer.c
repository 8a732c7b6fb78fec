/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <quantproof/qp.h>

int main(void) {
  const unsigned char block[98] = {0x00, 0x3C}; /* IQ3_XXS, d = 1: every weight is 4 / 4 */
  float weights[256];
  const qp_status status = qp_decode(QP_IQ3_XXS, block, sizeof block, weights, 256);
  printf("C %s: %s, %s, %g\n", qp_version(), qp_level(), qp_status_name(status), weights[255]);
  return status == QP_OK && weights[0] == 1 && weights[255] == 1 ? 0 : 1;
}
