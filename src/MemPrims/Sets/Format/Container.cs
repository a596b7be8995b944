using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>How a container holds its ids.</summary>
internal enum ContainerKind : byte
{
    /// <summary>The ids, 2 bytes each, in order: at most 4096.</summary>
    Array,

    /// <summary>A bit for each of 65,536 ids: 8 KiB.</summary>
    Bitmap,

    /// <summary>Stretches of ids without a gap, 4 bytes each, in order.</summary>
    Run,
}

/// <summary>
/// The ids that share their upper 16 bits, in an array of their own. From <see cref="Start"/> on, <see cref="Data"/> has the bytes that
/// the portable format has for them, without the number of runs. It may have room before and behind them, so that an id is put in or
/// taken out by moving the shorter side. The key and the cardinality are in the heads of the set.
/// </summary>
internal struct Container
{
    /// <summary>With more ids than this an array is larger than a bitmap; the portable format tells the two apart by it.</summary>
    public const int MaxArray = 4096;

    /// <summary>The ids that a container can hold.</summary>
    public const int Universe = 65536;

    public byte[] Data;

    /// <summary>The ids of an array, the runs of a run container.</summary>
    public int Count;

    /// <summary>The byte of <see cref="Data"/> where the content begins.</summary>
    public ushort Start;

    public ContainerKind Kind;

    public static Container OfId(ushort id)
    {
        // Room for four: most containers get more ids.
        byte[] data = new byte[4 * sizeof(ushort)];
        Unsafe.WriteUnaligned(ref MemoryMarshal.GetArrayDataReference(data), id);
        return new() { Data = data, Count = 1, Kind = ContainerKind.Array };
    }

    public static Container OfIds(ReadOnlySpan<ushort> ids) =>
        new() { Data = MemoryMarshal.AsBytes(ids).ToArray(), Count = ids.Length, Kind = ContainerKind.Array };

    public static Container OfRuns(ReadOnlySpan<Run> runs) =>
        new() { Data = MemoryMarshal.AsBytes(runs).ToArray(), Count = runs.Length, Kind = ContainerKind.Run };

    public static Container OfWords(ref ulong words) =>
        new()
        {
            Data = MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<ulong, byte>(ref words), Bitmap.Bytes).ToArray(),
            Kind = ContainerKind.Bitmap,
        };

    public static Container CopyOf(in ContainerView view) => new() { Data = view.Bytes.ToArray(), Count = view.Count, Kind = view.Kind };

    public readonly ContainerView View(int cardinality) =>
        new(ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(Data), (nint)Start), Kind, Count, cardinality);
}
