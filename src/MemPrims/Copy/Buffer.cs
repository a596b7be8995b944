namespace MemPrims.DropIn;

/// <summary>
/// Takes the place of <see cref="System.Buffer"/> in a whole project, by one line: <c>global using Buffer = MemPrims.DropIn.Buffer;</c>.
/// Every public member is here, with the same behaviour and the same exceptions. The copies are those of <see cref="Block"/>.
/// </summary>
/// <remarks>
/// <para>Bad arguments are handed to <see cref="System.Buffer"/> itself, so the exception is its own in every runtime version.</para>
/// <para>
/// C# looks at the using lines inside a namespace first. Where <c>using System;</c> stands inside a namespace, Buffer still means
/// System.Buffer there, and nothing is replaced. The same holds for a call that is written out as <c>System.Buffer</c>.
/// </para>
/// </remarks>
public static unsafe class Buffer
{
    /// <summary>Copies a block that may overlap its destination: memmove under the name that storage engines give it.</summary>
    /// <param name="dest">Where to.</param>
    /// <param name="src">Where from.</param>
    /// <param name="len">How many bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="len"/> is negative or beyond what can be addressed; nothing was
    /// written.</exception>
    /// <inheritdoc cref="Block.Copy(byte*, byte*, nint)" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Memcpy(byte* dest, byte* src, int len)
    {
        if (len < 0) Throw.NegativeLength(len, nameof(len));
        Block.Copy(dest, src, len);
    }

    /// <summary>Copies the first bytes of an array, which may be the destination itself.</summary>
    /// <param name="dest">Where to.</param>
    /// <param name="src">Where from.</param>
    /// <param name="len">How many bytes.</param>
    /// <exception cref="ArgumentNullException">An array is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="len"/> is negative or more than an array has; nothing was
    /// written.</exception>
    [OverloadResolutionPriority(-1)] // `Memcpy(null, null, 0)` could mean arrays, too.
    public static void Memcpy(byte[] dest, byte[] src, int len)
    {
        ArgumentNullException.ThrowIfNull(dest);
        ArgumentNullException.ThrowIfNull(src);
        int most = Math.Min(dest.Length, src.Length);
        if ((uint)len > (uint)most) Throw.LengthBeyondArrays(len, most, nameof(len));
        Block.Copy(dest.AsSpan(0, len), src.AsSpan(0, len));
    }

    /// <inheritdoc cref="Memcpy(byte*, byte*, int)"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Memmove(byte* dest, byte* src, nuint len)
    {
        if ((nint)len < 0) Throw.LengthTooLarge(len, nameof(len));
        Block.Copy(dest, src, (nint)len);
    }

    /// <inheritdoc cref="System.Buffer.MemoryCopy(void*, void*, long, long)" path="/summary|/param|/exception"/>
    /// <inheritdoc cref="Block.Copy(byte*, byte*, nint)" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void MemoryCopy(void* source, void* destination, long destinationSizeInBytes, long sourceBytesToCopy)
    {
        if (sourceBytesToCopy < 0 || sourceBytesToCopy > destinationSizeInBytes || sourceBytesToCopy > nint.MaxValue)
            System.Buffer.MemoryCopy(source, destination, destinationSizeInBytes, sourceBytesToCopy);
        else
            Block.Copy((byte*)destination, (byte*)source, (nint)sourceBytesToCopy);
    }

    /// <inheritdoc cref="System.Buffer.MemoryCopy(void*, void*, ulong, ulong)" path="/summary|/param|/exception"/>
    /// <inheritdoc cref="Block.Copy(byte*, byte*, nint)" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void MemoryCopy(void* source, void* destination, ulong destinationSizeInBytes, ulong sourceBytesToCopy)
    {
        if (sourceBytesToCopy > destinationSizeInBytes || sourceBytesToCopy > (ulong)nint.MaxValue)
            System.Buffer.MemoryCopy(source, destination, destinationSizeInBytes, sourceBytesToCopy);
        else
            Block.Copy((byte*)destination, (byte*)source, (nint)sourceBytesToCopy);
    }

    /// <inheritdoc cref="System.Buffer.BlockCopy"/>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void BlockCopy(Array src, int srcOffset, Array dst, int dstOffset, int count)
    {
        if (src is byte[] from && dst is byte[] to && (srcOffset | dstOffset | count) >= 0
            && (uint)srcOffset + (uint)count <= (uint)from.Length && (uint)dstOffset + (uint)count <= (uint)to.Length)
        {
            fixed (byte* source = from, destination = to) Block.Copy(destination + dstOffset, source + srcOffset, count);
        }
        else
        {
            System.Buffer.BlockCopy(src, srcOffset, dst, dstOffset, count);
        }
    }

    /// <inheritdoc cref="System.Buffer.ByteLength"/>
    public static int ByteLength(Array array) => System.Buffer.ByteLength(array);

    /// <inheritdoc cref="System.Buffer.GetByte"/>
    public static byte GetByte(Array array, int index) => System.Buffer.GetByte(array, index);

    /// <inheritdoc cref="System.Buffer.SetByte"/>
    public static void SetByte(Array array, int index, byte value) => System.Buffer.SetByte(array, index, value);
}
