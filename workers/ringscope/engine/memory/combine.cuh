// Kernels that combine arrays of several ranks: one source, of which NVRTC makes the GPU's code, and the host's C++
// compiler what the tests run (tests/engine/fakes). kernel_source.py appends the kernel itself with its parameters.
//
// A thread moves packs of 16 bytes, several of each input at once, with a stride of the whole grid; what lies before the
// first and behind the last whole pack is moved element by element. Values are rounded to their type after each step, as
// a chain of NumPy calls does, so that both give the same bits.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

template <class To, class From>
__device__ __forceinline__ To as(From from) {
    union { From from; To to; } both;
    both.from = from;
    return both.to;
}

// CuPy compiles everything with -ftz=true, which makes 0 of float's subnormal numbers; these instructions do not.
#ifdef __CUDA_ARCH__
__device__ __forceinline__ float add(float a, float b) {
    float result;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}
__device__ __forceinline__ float multiply(float a, float b) {
    float result;
    asm("mul.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}
__device__ __forceinline__ float quotient(float a, float b) {
    float result;
    asm("div.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}
__device__ __forceinline__ bool is_less(float a, float b) {
    int result;
    asm("{ .reg .pred less; setp.lt.f32 less, %1, %2; selp.s32 %0, 1, 0, less; }" : "=r"(result) : "f"(a), "f"(b));
    return result;
}
#else
__device__ __forceinline__ float add(float a, float b) { return a + b; }
__device__ __forceinline__ float multiply(float a, float b) { return a * b; }
__device__ __forceinline__ float quotient(float a, float b) { return a / b; }
__device__ __forceinline__ bool is_less(float a, float b) { return a < b; }
#endif
__device__ __forceinline__ double add(double a, double b) { return a + b; }
__device__ __forceinline__ double multiply(double a, double b) { return a * b; }
__device__ __forceinline__ double quotient(double a, double b) { return a / b; }
template <class Number>
__device__ __forceinline__ bool is_less(Number a, Number b) {
    return a < b;
}

// Types: Bits are how an element lies in memory, Value is what is computed with.

template <class Number, class Wide>
struct Integer {  // Wide is unsigned: signed numbers must not overflow in C++, and wrap around here
    typedef Number Bits;
    typedef Number Value;
    static __device__ __forceinline__ Value value(Bits bits) { return bits; }
    static __device__ __forceinline__ Bits bits(Value value) { return value; }
    static __device__ __forceinline__ Value sum(Value a, Value b) { return Value(Wide(a) + Wide(b)); }
    static __device__ __forceinline__ Value product(Value a, Value b) { return Value(Wide(a) * Wide(b)); }
    static __device__ __forceinline__ Value mean(Value a, long long ranks) {
        return Value(-1) < Value(0) ? Value((long long)(a) / ranks) : Value(u64(a) / u64(ranks));
    }
};

template <class Number>
struct Real {
    typedef Number Value;
    static __device__ __forceinline__ Value sum(Value a, Value b) { return add(a, b); }
    static __device__ __forceinline__ Value product(Value a, Value b) { return multiply(a, b); }
    static __device__ __forceinline__ Value mean(Value a, long long ranks) { return quotient(a, Value(ranks)); }
};

template <class Number>
struct Plain : Real<Number> {
    typedef Number Bits;
    static __device__ __forceinline__ Number value(Number bits) { return bits; }
    static __device__ __forceinline__ Number bits(Number value) { return value; }
};

struct Int8 : Integer<signed char, u32> {};
struct UInt8 : Integer<u8, u32> {};
struct Int32 : Integer<int, u32> {};
struct UInt32 : Integer<u32, u32> {};
struct Int64 : Integer<long long, u64> {};
struct UInt64 : Integer<u64, u64> {};
struct Float32 : Plain<float> {};
struct Float64 : Plain<double> {};

// A smaller type of EXPONENT and MANTISSA bits; FINITE ones have no infinity, and one NaN for each sign (E4M3). A float
// holds any sum or product of two such numbers so precisely that a second rounding changes nothing.
template <class Memory, int EXPONENT, int MANTISSA, bool FINITE>
struct Small : Real<float> {
    typedef Memory Bits;
    enum : int { BIAS = (1 << (EXPONENT - 1)) - 1 };
    enum : u32 {
        INFINITY_BITS = ((1u << EXPONENT) - 1) << MANTISSA,
        NAN_BITS = FINITE ? (1u << (EXPONENT + MANTISSA)) - 1 : INFINITY_BITS | 1u << (MANTISSA - 1),
        MOST = FINITE ? NAN_BITS - 1 : INFINITY_BITS,
        OVERFLOWN = FINITE ? NAN_BITS : INFINITY_BITS,
    };

    static __device__ __forceinline__ float value(Memory bits) {
        const u32 sign = u32(bits >> (EXPONENT + MANTISSA)) << 31;
        const u32 exponent = u32(bits >> MANTISSA) & ((1u << EXPONENT) - 1), mantissa = bits & ((1u << MANTISSA) - 1);
        const bool is_top = exponent == (1u << EXPONENT) - 1;
        if (FINITE ? is_top && mantissa == (1u << MANTISSA) - 1 : is_top) {
            return as<float>(sign | 0x7f800000u | (FINITE ? 1u << 22 : mantissa << (23 - MANTISSA)));
        }
        if (exponent || EXPONENT == 8) {  // with 8 bits it has float's own exponents and subnormal numbers
            return as<float>(sign | (exponent + 127 - BIAS) << 23 | mantissa << (23 - MANTISSA));
        }
        // Subnormal numbers are whole multiples of the smallest one, which float can have.
        const float scale = as<float>(u32(127 + 1 - BIAS - MANTISSA) << 23);
        return as<float>(sign | as<u32>(float(mantissa) * scale));
    }

    static __device__ __forceinline__ Memory bits(float value) {
        const u32 all = as<u32>(value), sign = all >> 31 << (EXPONENT + MANTISSA), rest = all & 0x7fffffffu;
        if (rest > 0x7f800000u) {
            return Memory(sign | u32(NAN_BITS));
        }
        const int exponent = int(rest >> 23) - 127 + BIAS;
        u32 rounded;
        if (exponent > 0 || EXPONENT == 8) {  // a carry out of the mantissa raises the exponent, as it must
            const u32 cut = 23 - MANTISSA, kept = rest - (u32(127 - BIAS) << 23);
            rounded = (kept + (1u << (cut - 1)) - 1 + (kept >> cut & 1)) >> cut;
        } else {
            const int cut = 24 - MANTISSA - exponent;
            const u32 mantissa = (rest & 0x7fffffu) | 0x800000u;
            rounded = cut > 24 ? 0 : (mantissa + (1u << (cut - 1)) - 1 + (mantissa >> cut & 1)) >> cut;
        }
        return Memory(sign | (rest == 0x7f800000u || rounded > u32(MOST) ? u32(OVERFLOWN) : rounded));
    }
};

struct Float8E5M2 : Small<u8, 5, 2, false> {};
struct Float8E4M3 : Small<u8, 4, 3, true> {};

#ifdef __CUDA_ARCH__  // the GPU converts by one instruction, which rounds in the same way
struct Float16 : Real<float> {
    typedef u16 Bits;
    static __device__ __forceinline__ float value(u16 bits) {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
    static __device__ __forceinline__ u16 bits(float value) {
        u16 bits;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
        return bits;
    }
};
struct BFloat16 : Real<float> {
    typedef u16 Bits;
    static __device__ __forceinline__ float value(u16 bits) { return as<float>(u32(bits) << 16); }
    static __device__ __forceinline__ u16 bits(float value) {
#if __CUDA_ARCH__ >= 800
        u16 bits;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
        return bits;
#else
        return Small<u16, 8, 7, false>::bits(value);
#endif
    }
};
#else
struct Float16 : Small<u16, 5, 10, false> {};
struct BFloat16 : Small<u16, 8, 7, false> {};
#endif

// Operations. Like NumPy's minimum and maximum, Min and Max give NaN if one of both is NaN.

struct Sum {
    template <class T>
    static __device__ __forceinline__ typename T::Value of(typename T::Value a, typename T::Value b) { return T::sum(a, b); }
};
struct Prod {
    template <class T>
    static __device__ __forceinline__ typename T::Value of(typename T::Value a, typename T::Value b) {
        return T::product(a, b);
    }
};
struct Min {
    template <class T>
    static __device__ __forceinline__ typename T::Value of(typename T::Value a, typename T::Value b) {
        return (a != a || is_less(a, b)) ? a : b;
    }
};
struct Max {
    template <class T>
    static __device__ __forceinline__ typename T::Value of(typename T::Value a, typename T::Value b) {
        return (a != a || is_less(b, a)) ? a : b;
    }
};

template <class Bits>
union Pack {
    uint4 whole;
    Bits elements[16 / sizeof(Bits)];
};

// Left to itself, NVRTC divides a pack into its elements and does not always put all of them together again.
#ifdef __CUDA_ARCH__
__device__ __forceinline__ uint4 load(const uint4* at) {
    uint4 pack;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(pack.x), "=r"(pack.y), "=r"(pack.z), "=r"(pack.w)
                 : "l"(__cvta_generic_to_global(at))
                 : "memory");
    return pack;
}
__device__ __forceinline__ void store(uint4* at, uint4 pack) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(__cvta_generic_to_global(at)), "r"(pack.x), "r"(pack.y), "r"(pack.z), "r"(pack.w)
                 : "memory");
}
#else
__device__ __forceinline__ uint4 load(const uint4* at) { return *at; }
__device__ __forceinline__ void store(uint4* at, uint4 pack) { *at = pack; }
#endif

template <int INPUTS, int RESULTS>
struct Arrays {
    const void* in[INPUTS];
    void* out[RESULTS];
};

template <class T, class Op, int INPUTS>
__device__ __forceinline__ typename T::Bits combined(const typename T::Bits* values) {
    typename T::Bits total = values[0];
#pragma unroll
    for (int i = 1; i < INPUTS; ++i) {
        total = T::bits(Op::template of<T>(T::value(total), T::value(values[i])));
    }
    return total;
}

// Elements before the first whole pack of all arrays; all of them where the arrays do not lie alike.
template <class Bits, int INPUTS, int RESULTS>
__device__ __forceinline__ u64 head_of(const Arrays<INPUTS, RESULTS>& arrays, u64 count) {
    const u64 first = u64(arrays.in[0]) & 15;
    bool alike = first % sizeof(Bits) == 0;
#pragma unroll
    for (int i = 1; i < INPUTS; ++i) alike = alike && (u64(arrays.in[i]) & 15) == first;
#pragma unroll
    for (int i = 0; i < RESULTS; ++i) alike = alike && (u64(arrays.out[i]) & 15) == first;
    const u64 head = first ? (16 - first) / sizeof(Bits) : 0;
    return alike && head < count ? head : count;
}

// A result may be one of the inputs: a thread reads an element before it writes it, and no other thread touches it.
template <class T, class Op, int INPUTS, int RESULTS>
__device__ __forceinline__ void combine(const Arrays<INPUTS, RESULTS>& arrays, u64 count) {
    typedef typename T::Bits Bits;
    const int SIZE = 16 / sizeof(Bits), FLIGHT = INPUTS > 4 ? 1 : INPUTS > 2 ? 2 : 4;
    const u64 thread = u64(blockIdx.x) * blockDim.x + threadIdx.x, threads = u64(gridDim.x) * blockDim.x;
    const u64 head = head_of<Bits>(arrays, count), packs = (count - head) / SIZE, rest = count - packs * SIZE;
    for (u64 first = thread; first < packs; first += threads * FLIGHT) {
        Pack<Bits> loaded[FLIGHT][INPUTS];
#pragma unroll
        for (int f = 0; f < FLIGHT; ++f) {
            const u64 at = first + f * threads;
            if (at < packs) {
#pragma unroll
                for (int i = 0; i < INPUTS; ++i) {
                    const Bits* const array = static_cast<const Bits*>(arrays.in[i]) + head;
                    loaded[f][i].whole = load(reinterpret_cast<const uint4*>(array) + at);
                }
            }
        }
#pragma unroll
        for (int f = 0; f < FLIGHT; ++f) {
            const u64 at = first + f * threads;
            if (at < packs) {
                Pack<Bits> result;
#pragma unroll
                for (int e = 0; e < SIZE; ++e) {
                    Bits values[INPUTS];
#pragma unroll
                    for (int i = 0; i < INPUTS; ++i) values[i] = loaded[f][i].elements[e];
                    result.elements[e] = combined<T, Op, INPUTS>(values);
                }
#pragma unroll
                for (int i = 0; i < RESULTS; ++i) {
                    store(reinterpret_cast<uint4*>(static_cast<Bits*>(arrays.out[i]) + head) + at, result.whole);
                }
            }
        }
    }
    for (u64 i = thread; i < rest; i += threads) {
        const u64 at = i < head ? i : i + packs * SIZE;
        Bits values[INPUTS];
#pragma unroll
        for (int s = 0; s < INPUTS; ++s) values[s] = static_cast<const Bits*>(arrays.in[s])[at];
        const Bits result = combined<T, Op, INPUTS>(values);
#pragma unroll
        for (int s = 0; s < RESULTS; ++s) static_cast<Bits*>(arrays.out[s])[at] = result;
    }
}

// A sum over all ranks becomes their mean; whole numbers are cut towards zero, as in C.
template <class T>
__device__ __forceinline__ void divide(void* array, long long ranks, u64 count) {
    typedef typename T::Bits Bits;
    const u64 thread = u64(blockIdx.x) * blockDim.x + threadIdx.x, threads = u64(gridDim.x) * blockDim.x;
    for (u64 at = thread; at < count; at += threads) {
        Bits* const element = static_cast<Bits*>(array) + at;
        *element = T::bits(T::mean(T::value(*element), ranks));
    }
}
