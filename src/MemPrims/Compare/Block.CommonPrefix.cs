namespace MemPrims;

public static unsafe partial class Block
{
    /// <summary>How many bytes from the start two blocks of the same length have in common.</summary>
    /// <returns>The position of the first difference; <paramref name="length"/> when there is none. Bytes that change meanwhile never make
    /// it more than that.</returns>
    /// <inheritdoc cref="Equal(byte*, byte*, nint)" path="/param|/exception|/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static nint CommonPrefix(byte* left, byte* right, nint length) => CompareTiers.Find(left, right, length).Position;

    /// <summary>How many bytes from the start two blocks have in common, as far as the shorter goes.</summary>
    /// <param name="left">One block.</param>
    /// <param name="right">The other block.</param>
    /// <returns>The position of the first difference; the shorter length when there is none.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int CommonPrefix(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right)
    {
        fixed (byte* l = &MemoryMarshal.GetReference(left), r = &MemoryMarshal.GetReference(right))
            return (int)CompareTiers.Find(l, r, Math.Min(left.Length, right.Length)).Position;
    }
}
