// SPDX-License-Identifier: Apache-2.0
//
// A target for `quantproof certify --target cmd:...`: the protocol of spec/target_protocol.md, and a
// literal decoder of spec/formats/iq3_xxs.md. Put your own decoder in place of decodeBlock.
//
//   quantproof certify --format iq3_xxs --target "cmd:node iq3_xxs_target.js"
'use strict';
const fs = require('fs');

// 3.2 and 3.3
const MAGNITUDES = [4, 12, 20, 28, 36, 44, 52, 62];
const LEVELS = `
  0000 2000 4000 1100 3100 7100 0200 2200 1300 2400 3700 5700 1010 3010 0110 2110
  1210 5210 0310 2310 1410 4510 0710 0020 2020 4020 1120 0220 2220 1320 3320 7320
  1520 7520 5720 1030 7030 0130 2130 5230 0730 3140 7340 4440 7540 3740 5740 1050
  7050 2350 2550 5360 4660 0170 4170 6170 3470 1670 1001 3001 0101 2101 1201 3201
  0301 2301 4301 7401 0501 0011 2011 1111 0211 2211 1021 3021 0121 2121 1221 0321
  2721 0031 2031 0231 1331 6431 6631 1041 5041 0541 0251 4251 6451 1751 5061 2271
  0471 0002 2002 1102 3102 0202 2202 6202 1302 2402 1012 3012 5012 0112 2112 1212
  0312 3612 7612 0712 0022 2022 1122 7122 0222 2222 7322 0422 5522 1032 0132 4132
  0732 4732 5342 3542 3052 7252 1452 4752 1072 3072 6172 5472 1003 0103 2103 1203
  3203 0503 5603 2703 0013 2013 0213 1313 4413 6413 1023 3023 0123 5223 2523 2723
  1133 3333 0343 7443 2743 0053 6053 2253 5553 4163 6363 3663 3373 0673 4004 7104
  5304 7304 3504 7504 4714 0224 7324 0424 0624 6624 7034 5434 4044 1544 4644 5254
  3454 0754 5074 0174 2174 0374 2105 1405 0705 0015 6015 6215 5515 4125 2325 2725
  2035 3535 0145 3245 7245 2745 2055 1355 0565 4275 2475 4206 4406 6406 4606 1216
  1616 7126 4626 0336 6336 4446 5056 2556 3366 3076 1276 3007 5007 7007 0107 2307
  2507 6217 0417 2127 5427 2527 0037 5137 3337 0637 1247 1447 0057 2057 4257 0367
`.trim().split(/\s+/);
const CODEBOOK = LEVELS.map((row) => [...row].map((level) => MAGNITUDES[Number(level)]));

// half.md 1.2; null for an infinite or NaN scale, which profile strict refuses.
function scaleValue(half) {
  const exponent = (half >> 10) & 31;
  const fraction = half & 0x3ff;
  if (exponent === 31) return null;
  const magnitude =
    exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return (half & 0x8000) !== 0 ? -magnitude : magnitude;
}

// 4.2: whether weight j of a group is negative.
function isNegative(field, j) {
  if (j < 7) return ((field >> j) & 1) === 1;
  let odd = 0;
  for (let bit = 0; bit < 7; ++bit) odd ^= (field >> bit) & 1;
  return odd === 1;
}

// Writes the 256 weights of the block at `at`; false for a scale that is refused.
function decodeBlock(bytes, at, out, outAt) {
  const scale = scaleValue(bytes.readUInt16LE(at));
  if (scale === null) return false;
  for (let i = 0; i < 256; ++i) {
    const word = bytes.readUInt32LE(at + 66 + 4 * Math.floor(i / 32));
    const field = (word >>> (7 * Math.floor((i % 32) / 8))) & 0x7f;
    const magnitude = CODEBOOK[bytes[at + 2 + Math.floor(i / 4)]][i % 4];
    const value = (scale * (2 * (word >>> 28) + 1) * magnitude) / 4;
    out.writeFloatLE(isNegative(field, i % 8) ? -value : value, outAt + 4 * i);
  }
  return true;
}

function answerRow(request) {
  const n = Number(request.readBigUInt64LE(16));
  const blocks = Math.floor(n / 256);
  let status = 0;
  if (request.readUInt32LE(8) !== 1) status = 1;
  else if (n % 256 !== 0) status = 2;
  else if (request.length - 24 !== 98 * blocks) status = 3;
  const values = Buffer.alloc(status === 0 ? 1024 * blocks : 0);
  let decoded = 0;
  while (status === 0 && decoded < blocks) {
    if (decodeBlock(request, 24 + 98 * decoded, values, 1024 * decoded)) ++decoded;
    else status = 4;
  }
  const head = Buffer.alloc(12);
  head.writeUInt32LE(2, 0);
  head.writeUInt32LE(request.readUInt32LE(4), 4);
  head.writeUInt32LE(status, 8);
  return Buffer.concat([head, values.subarray(0, 1024 * decoded)]);
}

// The greeting: version 1, refuses input.
function greeting() {
  const answer = Buffer.alloc(12);
  for (let field = 0; field < 3; ++field) answer.writeUInt32LE(1, 4 * field);
  return Buffer.concat([answer, Buffer.from('example in JavaScript')]);
}

// null at the end of the input.
function read(size) {
  const bytes = Buffer.alloc(size);
  for (let done = 0; done < size; ) {
    const n = fs.readSync(0, bytes, done, size - done, null);
    if (n === 0) return null;
    done += n;
  }
  return bytes;
}

for (let length = read(4); length !== null; length = read(4)) {
  const request = read(length.readUInt32LE(0));
  const answer = request.readUInt32LE(0) === 1 ? greeting() : answerRow(request);
  const frame = Buffer.alloc(4 + answer.length);
  frame.writeUInt32LE(answer.length, 0);
  answer.copy(frame, 4);
  for (let done = 0; done < frame.length; ) done += fs.writeSync(1, frame, done);
}
