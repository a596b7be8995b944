using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Buffers;

/// <summary>
/// Which types an appender writes as they are: those without padding, whose layout is the same everywhere. Folded away by the JIT.
/// </summary>
internal static class Scalar
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Require<T>()
        where T : unmanaged
    {
        if (!typeof(T).IsPrimitive && !typeof(T).IsEnum && typeof(T) != typeof(Guid) && typeof(T) != typeof(Int128)
            && typeof(T) != typeof(UInt128) && typeof(T) != typeof(Half)) BufferErrors.NotAScalar(typeof(T));
    }

    /// <summary>The same for a write: the appender is closed first.</summary>
    // The condition stands here again. Behind a method of its own it is folded so late that the appender counts as one whose address is
    // taken, and each write then goes by memory: a u64 by UnsafeAppender took 16 % longer.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Require<TAppender, T>(ref TAppender to)
        where TAppender : struct, IAppender, allows ref struct
        where T : unmanaged
    {
        if (!typeof(T).IsPrimitive && !typeof(T).IsEnum && typeof(T) != typeof(Guid) && typeof(T) != typeof(Int128)
            && typeof(T) != typeof(UInt128) && typeof(T) != typeof(Half)) Refuse(ref to, typeof(T));
    }

    /// <summary>The bytes of the value, high ones first; of a Guid, in the order of its text.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe T Swap<T>(T value)
        where T : unmanaged
    {
        Require<T>();
        if (typeof(T) == typeof(Guid)) return Unsafe.BitCast<Guid, T>(new(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value)),
            bigEndian: true));
        return sizeof(T) switch
        {
            1 => value,
            2 => Unsafe.BitCast<ushort, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, ushort>(value))),
            4 => Unsafe.BitCast<uint, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, uint>(value))),
            8 => Unsafe.BitCast<ulong, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, ulong>(value))),
            _ => Unsafe.BitCast<UInt128, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, UInt128>(value))),
        };
    }

    private static void Refuse<TAppender>(ref TAppender to, Type type)
        where TAppender : struct, IAppender, allows ref struct
    {
        to.Cancel();
        BufferErrors.NotAScalar(type);
    }
}
