using System.Buffers;
using System.Runtime.InteropServices;

namespace MemPrims.Channels.Link;

/// <summary>A whole message. It lies in the caller's span where there is no array.</summary>
internal struct Arrival
{
    public byte[]? Array;
    public SafeHandle[]? Handles;
    public int Length;

    public readonly IpcMessage ToMessage() => new(Array!, Length, Handles);

    /// <summary>Gives back and closes what it holds.</summary>
    public void Drop()
    {
        if (Array is not null) ArrayPool<byte>.Shared.Return(Array);
        Rights.CloseElsewhere(Handles);
        this = default;
    }

    /// <summary>The same array, or where it is too short one of twice its length with what is filled, up to <paramref
    /// name="most"/>.</summary>
    public static byte[] Enlarge(byte[] array, int filled, long wanted, int most)
    {
        if (array.Length >= wanted) return array;
        byte[] larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(most, Math.Max(wanted, 2L * array.Length)));
        array.AsSpan(0, filled).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(array);
        return larger;
    }
}
