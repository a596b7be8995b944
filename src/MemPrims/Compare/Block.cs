namespace MemPrims;

/// <summary>Order, equality, difference, copy and fill of blocks of memory.</summary>
public static unsafe partial class Block
{
    /// <summary>Provisional.</summary>
    public static int Compare(byte* left, byte* right, nint length) => Compare(left, right, length, out _);
    /// <summary>Provisional.</summary>
    public static int Compare(byte* left, byte* right, nint length, out nint position)
    {
        position = CommonPrefix(left, right, length);
        return position == length ? 0 : left[position] - right[position];
    }
    /// <summary>Provisional.</summary>
    public static int Compare(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) => left.SequenceCompareTo(right);
    /// <summary>Provisional.</summary>
    public static bool Equal(byte* left, byte* right, nint length) => CommonPrefix(left, right, length) == length;
    /// <summary>Provisional.</summary>
    public static bool Equal(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) => left.SequenceEqual(right);
    /// <summary>Provisional.</summary>
    public static nint CommonPrefix(byte* left, byte* right, nint length) => new ReadOnlySpan<byte>(left, (int)length).CommonPrefixLength(new ReadOnlySpan<byte>(right, (int)length));
    /// <summary>Provisional.</summary>
    public static int CommonPrefix(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) => left.CommonPrefixLength(right);
    /// <summary>Provisional.</summary>
    public static void Copy(byte* destination, byte* source, nint length) => System.Buffer.MemoryCopy(source, destination, length, length);
    /// <summary>Provisional.</summary>
    public static void Copy(Span<byte> destination, ReadOnlySpan<byte> source) => source.CopyTo(destination);
    /// <summary>Provisional.</summary>
    public static void CopyStreaming(byte* destination, byte* source, nint length) => Copy(destination, source, length);
    /// <summary>Provisional.</summary>
    public static void Fill(byte* destination, byte value, nint length) => new Span<byte>(destination, (int)length).Fill(value);
    /// <summary>Provisional.</summary>
    public static void Clear(byte* destination, nint length) => new Span<byte>(destination, (int)length).Clear();
    /// <summary>Provisional.</summary>
    public static bool IsZero(byte* source, nint length) => !new ReadOnlySpan<byte>(source, (int)length).ContainsAnyExcept((byte)0);
}

/// <summary>Checksums.</summary>
public static unsafe class Checksum
{
    /// <summary>Provisional.</summary>
    public static uint Crc32C(ReadOnlySpan<byte> source, uint seed = 0)
    {
        uint crc = ~seed;
        foreach (byte b in source) crc = System.Numerics.BitOperations.Crc32C(crc, b);
        return ~crc;
    }
    /// <summary>Provisional.</summary>
    public static uint Crc32C(byte* source, nint length, uint seed = 0) => Crc32C(new ReadOnlySpan<byte>(source, (int)length), seed);
}
