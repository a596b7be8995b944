using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Workloads;

/// <summary>
/// The calls of LMDB, by P/Invoke. <c>apt install liblmdb0</c> installs it. Calls in a loop skip the transition of the garbage
/// collector, as a C program would make them: the transition would be half of the time, and is not LMDB's.
/// </summary>
internal static unsafe partial class LmdbLibrary
{
    private const string Library = "liblmdb.so.0";

    public const uint NoSubdirectory = 0x4000, NoSync = 0x10000;

    /// <summary>The cursor's step to the next key.</summary>
    public const int Next = 8;

    /// <summary>Whether the library is there; says how to install it when not.</summary>
    public static bool IsAvailable { get; } = Probe();

    private static bool Probe()
    {
        if (NativeLibrary.TryLoad(Library, out _)) return true;
        Console.Error.WriteLine("LMDB is left out: `apt install liblmdb0` installs it.");
        return false;
    }

    public static void Check(int error)
    {
        if (error != 0) throw new InvalidOperationException($"LMDB: error {error}.");
    }

    public readonly struct Value(void* data, nint length)
    {
        public readonly nint Length = length;
        public readonly void* Data = data;
    }

    public struct Statistics
    {
        public uint PageSize, Depth;
        public nint Branches, Leaves, Overflow, Entries;
    }

    [LibraryImport(Library)]
    public static partial int mdb_env_create(out nint environment);

    [LibraryImport(Library)]
    public static partial int mdb_env_set_mapsize(nint environment, nint size);

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int mdb_env_open(nint environment, string path, uint flags, int mode);

    [LibraryImport(Library)]
    public static partial void mdb_env_close(nint environment);

    [LibraryImport(Library)]
    public static partial int mdb_txn_begin(nint environment, nint parent, uint flags, out nint transaction);

    [LibraryImport(Library)]
    public static partial int mdb_txn_commit(nint transaction);

    [LibraryImport(Library)]
    public static partial void mdb_txn_abort(nint transaction);

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int mdb_dbi_open(nint transaction, string? name, uint flags, out uint database);

    [LibraryImport(Library)]
    public static partial int mdb_stat(nint transaction, uint database, Statistics* statistics);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial int mdb_put(nint transaction, uint database, Value* key, Value* value, uint flags);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial int mdb_get(nint transaction, uint database, Value* key, Value* value);

    [LibraryImport(Library)]
    public static partial int mdb_cursor_open(nint transaction, uint database, out nint cursor);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial int mdb_cursor_get(nint cursor, Value* key, Value* value, int operation);

    [LibraryImport(Library)]
    public static partial void mdb_cursor_close(nint cursor);
}
