/* SPDX-License-Identifier: Apache-2.0
 * SPDX-FileCopyrightText: The spk authors */
#ifndef SPK_HOST_RUNTIME_NARROW_FLOAT_HPP
#define SPK_HOST_RUNTIME_NARROW_FLOAT_HPP

/* What __half and __nv_bfloat16 of the stand-in share: 16 bits that turn into a float and back wherever one is needed. */

namespace spk_host_runtime {

static inline unsigned bits_of(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float float_of(unsigned bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/* The float that a second rounding brings to where one rounding of `value` would: truncated, and its last bit set if
 * anything was cut off (round to odd). */
static inline float rounded_to_odd(double value) {
  const float near = static_cast<float>(value);
  const double back = near;
  if (back == value || value != value) return near;
  const bool is_beyond = value < 0 ? back < value : back > value;
  return float_of((bits_of(near) - (is_beyond ? 1u : 0u)) | 1u);
}

struct HalfBits {
  static unsigned short from(float value) {
    const unsigned sign = bits_of(value) >> 16 & 0x8000u;
    const unsigned magnitude = bits_of(value) & 0x7fffffffu;
    unsigned bits;
    if (magnitude > 0x7f800000u) return 0x7fff; /* NaN */
    if (magnitude >= 0x477ff000u) {             /* 65520 and more round to infinity */
      bits = 0x7c00u;
    } else if (magnitude < 0x38800000u) {
      /* Below 2^-14: adding 0.5 lines the last bit of a subnormal half up with the last bit of the float. */
      bits = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
    } else {
      bits = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    }
    return static_cast<unsigned short>(sign | bits);
  }
  static float to(unsigned short half) {
    const unsigned sign = (half & 0x8000u) << 16;
    const unsigned exponent = half >> 10 & 31u;
    const unsigned mantissa = half & 0x3ffu;
    if (exponent == 31) return float_of(sign | 0x7f800000u | mantissa << 13);
    if (exponent == 0) return float_of(sign | bits_of(static_cast<float>(mantissa) * 5.9604644775390625e-8f));
    return float_of(sign | (exponent + 112) << 23 | mantissa << 13);
  }
};

struct Bfloat16Bits {
  static unsigned short from(float value) {
    const unsigned bits = bits_of(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff; /* NaN */
    return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
  static float to(unsigned short bits) { return float_of(static_cast<unsigned>(bits) << 16); }
};

template <class Self, class Bits>
struct NarrowFloat {
  NarrowFloat() = default;
  NarrowFloat(float value) : __x(Bits::from(value)) {}
  NarrowFloat(double value) : __x(Bits::from(rounded_to_odd(value))) {}
  NarrowFloat(int value) : NarrowFloat(static_cast<double>(value)) {}
  NarrowFloat(unsigned value) : NarrowFloat(static_cast<double>(value)) {}
  NarrowFloat(long value) : NarrowFloat(static_cast<double>(value)) {}
  NarrowFloat(unsigned long value) : NarrowFloat(static_cast<double>(value)) {}
  NarrowFloat(long long value) : NarrowFloat(static_cast<double>(value)) {}
  NarrowFloat(unsigned long long value) : NarrowFloat(static_cast<double>(value)) {}

  operator float() const { return Bits::to(__x); }

  Self& operator+=(float value) { return assign(*this + value); }
  Self& operator-=(float value) { return assign(*this - value); }
  Self& operator*=(float value) { return assign(*this * value); }
  Self& operator/=(float value) { return assign(*this / value); }
  Self& operator++() { return assign(*this + 1.0f); }
  Self& operator--() { return assign(*this - 1.0f); }
  Self operator-() const { return Self(-static_cast<float>(*this)); }

 protected:
  unsigned short __x;

 private:
  Self& assign(float value) {
    __x = Bits::from(value);
    return static_cast<Self&>(*this);
  }
};

}  // namespace spk_host_runtime

#endif
