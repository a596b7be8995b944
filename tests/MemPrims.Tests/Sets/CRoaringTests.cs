using System.Runtime.InteropServices;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// Exchanges sets with CRoaring, where it is installed. Its bytes load here and are written back unchanged, and ours load there.
public sealed unsafe partial class CRoaringTests
{
    private const string Library = "libroaring.so.0";

    [CRoaringFact]
    public void Sets_of_every_shape_go_to_CRoaring_and_back_byte_for_byte()
    {
        foreach ((string name, int[] low) in SampleIds.Containers())
        {
            foreach (int more in new[] { 0, 1, 3 })
            {
                uint[] ids = [.. Enumerable.Range(0, more + 1).SelectMany(key => low.Select(id => (uint)(key * 2 << 16 | id)))];
                foreach (bool optimized in new[] { false, true })
                {
                    byte[] theirs = Make(ids, optimized);
                    Assert.Equal(theirs, IdSet.Deserialize(theirs).ToByteArray());
                    IdSet frozen = IdSet.OpenFrozen(theirs, validate: true);
                    IdSetTests.Same(ids, frozen, name);
                    IdSet ours = IdSet.FromSorted(ids);
                    Assert.Equal(ids.Length, ours.CountIntersection(frozen));
                    // A set built here is never larger than one of CRoaring, and equal to one whose runs it has optimized.
                    if (optimized) Assert.Equal(theirs, ours.ToByteArray());
                    else Assert.InRange(ours.SerializedSize, 1, theirs.Length);
                    if (optimized) Assert.Equal(ids.Length, CountThere(ours.ToByteArray()));
                }
            }
        }
    }

    private static byte[] Make(uint[] ids, bool optimized)
    {
        nint set;
        fixed (uint* first = ids) set = OfPointer(ids.Length, first);
        if (optimized) RunOptimize(set);
        byte[] bytes = new byte[SizeInBytes(set)];
        fixed (byte* to = bytes) Serialize(set, to);
        Free(set);
        return bytes;
    }

    private static long CountThere(byte[] bytes)
    {
        fixed (byte* from = bytes)
        {
            nint set = Deserialize(from, bytes.Length);
            long count = set == 0 ? -1 : (long)Cardinality(set);
            if (set != 0) Free(set);
            return count;
        }
    }

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_of_ptr")]
    private static partial nint OfPointer(nint count, uint* ids);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_run_optimize")]
    [return: MarshalAs(UnmanagedType.U1)]
    private static partial bool RunOptimize(nint set);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_portable_size_in_bytes")]
    private static partial nint SizeInBytes(nint set);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_portable_serialize")]
    private static partial nint Serialize(nint set, byte* to);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_portable_deserialize_safe")]
    private static partial nint Deserialize(byte* from, nint length);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_get_cardinality")]
    private static partial ulong Cardinality(nint set);

    [LibraryImport(Library, EntryPoint = "roaring_bitmap_free")]
    private static partial void Free(nint set);

    // Skipped, and says so, where CRoaring is not installed.
    private sealed class CRoaringFactAttribute : FactAttribute
    {
        public CRoaringFactAttribute()
        {
            if (!NativeLibrary.TryLoad(Library, out _)) Skip = $"{Library} is not here. On Debian: apt-get install libroaring-dev";
        }
    }
}
