using System.Runtime.InteropServices;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// CRoaring by P/Invoke, the peer in C: its newest release, built for the machine that measures. Its path stands in the environment
/// variable MEMPRIMS_CROARING; without it the peer is left out, and the commands that build it are told. Calls skip the GC transition, so
/// that the crossing is not charged to the peer.
/// </summary>
internal sealed unsafe partial class CRoaring : IDisposable
{
    /// <summary>Where the library is found.</summary>
    public const string Variable = "MEMPRIMS_CROARING";

    private const string Library = "roaring";
    private const int Avx2 = 1, Avx512 = 2;

    private readonly nint _set;

    /// <param name="ids">Its ids.</param>
    /// <param name="hasRuns">Whether runs are looked for. They make a set smaller, and not always faster.</param>
    public CRoaring(ReadOnlySpan<uint> ids, bool hasRuns = true)
    {
        fixed (uint* first = ids) _set = OfPointer(ids.Length, first);
        if (hasRuns) RunOptimize(_set);
    }

    private CRoaring(nint set) => _set = set;

    /// <summary>Whether the library is here. Asked first, it tells which instructions the library runs, or how to build it.</summary>
    public static bool IsAvailable { get; } = Load();

    /// <summary>A peer that is not here has no time: without this its row would be that of an empty loop.</summary>
    public static void Require()
    {
        if (!IsAvailable) throw new DllNotFoundException($"CRoaring is not here: {Variable} names its library.");
    }

    public nint Handle => _set;

    public long Count => (long)Cardinality(_set);

    public long SerializedSize => (long)SizeInBytes(_set);

    public long CountIntersection(CRoaring other) => (long)AndCardinality(_set, other._set);

    public byte[] Serialize()
    {
        byte[] bytes = new byte[SerializedSize];
        fixed (byte* to = bytes) Serialize(_set, to);
        return bytes;
    }

    public static CRoaring Empty() => new(Create());

    public void Dispose() => Free(_set);

    /// <summary>The release, which no function tells but a file that its build leaves beside the library; null when the peer is not
    /// here.</summary>
    public static string? Release()
    {
        if (!IsAvailable) return null;
        string notes = Path.Combine(Path.GetDirectoryName(Path.GetFullPath(Environment.GetEnvironmentVariable(Variable)!))!, "roaring.pc");
        return File.Exists(notes) && File.ReadLines(notes).FirstOrDefault(static line => line.StartsWith("Version:")) is { } line
            ? line["Version:".Length..].Trim() : "of an unknown release";
    }

    private static bool Load()
    {
        nint library = PeerLibraries.Load(Library, Variable, $"""
            To build CRoaring's newest release:
              git clone https://github.com/RoaringBitmap/CRoaring
              cmake -S CRoaring -B roaring-build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="-O3 -march=native" \
                -DBUILD_SHARED_LIBS=ON -DENABLE_ROARING_TESTS=OFF
              cmake --build roaring-build
              export {Variable}=$PWD/roaring-build/libroaring.so
            For the AVX2 tier: -march=x86-64-v3 and -DROARING_DISABLE_AVX512=ON, so that both sides run the same instructions.
            """);
        if (library == 0) return false;
        string tier = "unknown instructions, an old release";
        if (NativeLibrary.TryGetExport(library, "croaring_hardware_support", out nint support))
        {
            int flags = ((delegate* unmanaged<int>)support)();
            tier = (flags & Avx512) != 0 ? "AVX-512 active" : (flags & Avx2) != 0 ? "AVX2 active" : "no vector instructions";
        }
        Console.Error.WriteLine($"CRoaring: {Environment.GetEnvironmentVariable(Variable)}, {tier}");
        return true;
    }

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_of_ptr")]
    private static partial nint OfPointer(nint count, uint* ids);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_create_with_capacity")]
    public static partial nint Create(uint capacity = 0);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_run_optimize")]
    [return: MarshalAs(UnmanagedType.U1)]
    private static partial bool RunOptimize(nint set);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_get_cardinality"), SuppressGCTransition]
    public static partial ulong Cardinality(nint set);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_and_cardinality"), SuppressGCTransition]
    public static partial ulong AndCardinality(nint a, nint b);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_and"), SuppressGCTransition]
    public static partial nint And(nint a, nint b);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_or"), SuppressGCTransition]
    public static partial nint Or(nint a, nint b);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_xor"), SuppressGCTransition]
    public static partial nint Xor(nint a, nint b);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_andnot"), SuppressGCTransition]
    public static partial nint AndNot(nint a, nint b);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_contains"), SuppressGCTransition]
    public static partial byte Contains(nint set, uint id);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_add_checked"), SuppressGCTransition]
    public static partial byte Add(nint set, uint id);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_remove_checked"), SuppressGCTransition]
    public static partial byte Remove(nint set, uint id);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_to_uint32_array"), SuppressGCTransition]
    public static partial void ToArray(nint set, uint* ids);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_portable_deserialize_frozen"), SuppressGCTransition]
    public static partial nint OpenFrozen(byte* bytes);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_portable_size_in_bytes"), SuppressGCTransition]
    public static partial nuint SizeInBytes(nint set);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_portable_serialize"), SuppressGCTransition]
    public static partial nuint Serialize(nint set, byte* to);

    [LibraryImport(Library, EntryPoint = "roaring_iterator_create"), SuppressGCTransition]
    public static partial nint CreateIterator(nint set);

    [LibraryImport(Library, EntryPoint = "roaring_uint32_iterator_read"), SuppressGCTransition]
    public static partial uint ReadIterator(nint iterator, uint* to, uint count);

    [LibraryImport(Library, EntryPoint = "roaring_uint32_iterator_free"), SuppressGCTransition]
    public static partial void FreeIterator(nint iterator);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_copy"), SuppressGCTransition]
    public static partial nint Copy(nint set);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_free"), SuppressGCTransition]
    public static partial void Free(nint set);
}
