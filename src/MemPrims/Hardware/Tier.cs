namespace MemPrims;

/// <summary>The widest kind of instruction that the kernels use on this machine. Tiers are ordered: a later one is wider.</summary>
public enum Tier
{
    /// <summary>8-byte words, no vectors.</summary>
    Scalar,

    /// <summary>128-bit vectors: SSE2 and later, or AdvSimd on arm64.</summary>
    Vector128,

    /// <summary>256-bit vectors: AVX2.</summary>
    Vector256,

    /// <summary>512-bit vectors with byte masks: AVX-512 BW.</summary>
    Vector512,
}
