namespace MemPrims.Records;

/// <summary>A decimal: 96 bits of number, then the scale in bits 112 to 119 and the sign in bit 127.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct StoredDecimal : IStoredValue<decimal, UInt128>
{
    private const uint ScaleMask = 0xFF, SignBit = 1u << 31;
    private const int MaxScale = 28, ScaleShift = 16;

    /// <inheritdoc/>
    public static bool TryRead(UInt128 bits, out decimal value)
    {
        uint flags = (uint)(bits >> 96), scale = flags >> ScaleShift & ScaleMask;
        bool right = (flags & ~(ScaleMask << ScaleShift | SignBit)) == 0 && scale <= MaxScale;
        value = right
            ? new decimal((int)(uint)bits, (int)(uint)(bits >> 32), (int)(uint)(bits >> 64), (flags & SignBit) != 0, (byte)scale) : 0;
        return right;
    }

    /// <inheritdoc/>
    public static UInt128 BitsOf(decimal value)
    {
        Span<int> parts = stackalloc int[4];
        decimal.GetBits(value, parts);
        return new((uint)parts[2] | (ulong)(uint)parts[3] << 32, (uint)parts[0] | (ulong)(uint)parts[1] << 32);
    }
}
