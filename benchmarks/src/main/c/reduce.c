/*
 * The reduce loops in C, for the comparison with the Java kernels (ReduceComparison compiles this
 * with -O3 -march=native): one loop for each type and operator, as plain as a C programmer writes it.
 *
 * MIN and MAX of floats are plain comparisons here. They drop NaNs and do not order zeros, which the
 * Java kernels do: C has less to do.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LOOP(NAME, TYPE, EXPRESSION)                                            \
  static void __attribute__((noinline)) NAME(void *dst, const void *left,       \
                                             const void *right, size_t count) { \
    TYPE *d = dst;                                                              \
    const TYPE *a = left;                                                       \
    const TYPE *b = right;                                                      \
    for (size_t i = 0; i < count; i++) {                                        \
      TYPE x = a[i];                                                            \
      TYPE y = b[i];                                                            \
      d[i] = (TYPE)(EXPRESSION);                                                \
    }                                                                           \
  }

#define LOOPS(NAME, TYPE)                 \
  LOOP(NAME##_sum, TYPE, x + y)           \
  LOOP(NAME##_prod, TYPE, x * y)          \
  LOOP(NAME##_min, TYPE, x < y ? x : y)   \
  LOOP(NAME##_max, TYPE, x > y ? x : y)

#define HALF_LOOPS(NAME, WIDEN, ROUND)                                           \
  LOOP(NAME##_sum, uint16_t, ROUND(WIDEN(x) + WIDEN(y)))                         \
  LOOP(NAME##_prod, uint16_t, ROUND(WIDEN(x) * WIDEN(y)))                        \
  LOOP(NAME##_min, uint16_t, WIDEN(x) < WIDEN(y) ? x : y)                        \
  LOOP(NAME##_max, uint16_t, WIDEN(x) > WIDEN(y) ? x : y)

static inline float widen_bfloat16(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint16_t round_bfloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static inline float widen_float16(uint16_t half) {
  _Float16 value;
  memcpy(&value, &half, sizeof value);
  return (float)value;
}

static inline uint16_t round_float16(float value) {
  _Float16 rounded = (_Float16)value;
  uint16_t half;
  memcpy(&half, &rounded, sizeof half);
  return half;
}

LOOPS(int8, int8_t)
LOOPS(uint8, uint8_t)
LOOPS(int32, int32_t)
LOOPS(uint32, uint32_t)
LOOPS(int64, int64_t)
LOOPS(uint64, uint64_t)
LOOPS(float32, float)
LOOPS(float64, double)
HALF_LOOPS(float16, widen_float16, round_float16)
HALF_LOOPS(bfloat16, widen_bfloat16, round_bfloat16)

typedef void loop(void *, const void *, const void *, size_t);

#define ROW(NAME) {NAME##_sum, NAME##_prod, NAME##_min, NAME##_max}

/* In the order of DataType and ReduceOp.Kind. */
static loop *const loops[10][4] = {
    ROW(int8),   ROW(uint8),   ROW(int32),    ROW(uint32),  ROW(int64),
    ROW(uint64), ROW(float16), ROW(bfloat16), ROW(float32), ROW(float64),
};

/* Runs a loop many times over the same memory. */
void reduce(int type, int op, void *dst, const void *a, const void *b, size_t count,
            size_t repetitions) {
  loop *run = loops[type][op];
  for (size_t i = 0; i < repetitions; i++) {
    run(dst, a, b, count);
  }
}
