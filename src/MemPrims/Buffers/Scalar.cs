using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Buffers;

/// <summary>
/// Which types an appender writes as they lie in memory: those without padding, whose layout is the same on every machine. The JIT
/// decides the tests below when it compiles, so they cost nothing.
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

    /// <summary>The same for a write. It closes the appender before it throws.</summary>
    // The condition is written twice on purpose. In a method of its own, the JIT decides it so late that it takes the appender's address
    // as used, and keeps its fields in memory: a u64 by UnsafeAppender then took 16 % longer.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Require<TAppender, T>(ref TAppender to)
        where TAppender : struct, IAppender, allows ref struct
        where T : unmanaged
    {
        if (!typeof(T).IsPrimitive && !typeof(T).IsEnum && typeof(T) != typeof(Guid) && typeof(T) != typeof(Int128)
            && typeof(T) != typeof(UInt128) && typeof(T) != typeof(Half)) Refuse(ref to, typeof(T));
    }

    /// <summary>Reverses the bytes of a number. Those of a Guid are put in the order of its text.</summary>
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
