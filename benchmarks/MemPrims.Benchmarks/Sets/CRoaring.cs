using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Sets;

/// <summary>CRoaring by P/Invoke, the peer in C. Calls skip the GC transition, so that it is not charged for the crossing.</summary>
internal sealed unsafe partial class CRoaring : IDisposable
{
    private const string Library = "libroaring.so.0";

    private readonly nint _set;

    public CRoaring(ReadOnlySpan<uint> ids)
    {
        fixed (uint* first = ids) _set = OfPointer(ids.Length, first);
        RunOptimize(_set);
    }

    /// <summary>Whether the library is here; tells once what to install when it is not.</summary>
    public static bool IsAvailable { get; } = Load();

    public long SerializedSize => (long)SizeInBytes(_set);

    public long CountIntersection(CRoaring other) => (long)AndCardinality(_set, other._set);

    public byte[] Serialize()
    {
        byte[] bytes = new byte[SerializedSize];
        fixed (byte* to = bytes) Serialize(_set, to);
        return bytes;
    }

    public void Dispose() => Free(_set);

    private static bool Load()
    {
        if (NativeLibrary.TryLoad(Library, out _)) return true;
        Console.Error.WriteLine($"{Library} is not here, so CRoaring is left out. On Debian: apt-get install libroaring-dev");
        return false;
    }

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_of_ptr")]
    private static partial nint OfPointer(nint count, uint* ids);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_run_optimize")]
    [return: MarshalAs(UnmanagedType.U1)]
    private static partial bool RunOptimize(nint set);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_and_cardinality"), SuppressGCTransition]
    private static partial ulong AndCardinality(nint a, nint b);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_portable_size_in_bytes")]
    private static partial nuint SizeInBytes(nint set);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_portable_serialize")]
    private static partial nuint Serialize(nint set, byte* to);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_free")]
    private static partial void Free(nint set);
}
