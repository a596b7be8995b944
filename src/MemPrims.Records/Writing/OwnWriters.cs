namespace MemPrims.Records.Writing;

/// <summary>The files that this process writes, for the message of another writer of the same file that waited in vain.</summary>
internal static class OwnWriters
{
    private static readonly Dictionary<ulong, Holder> s_writers = [];

    public static void Add(ulong file)
    {
        lock (s_writers) s_writers[file] = new();
    }

    public static void Remove(ulong file)
    {
        lock (s_writers) s_writers.Remove(file);
    }

    public static string? Describe(ulong file)
    {
        lock (s_writers) return s_writers.TryGetValue(file, out Holder holder) ? $"in this process, made so by {holder}" : null;
    }
}
