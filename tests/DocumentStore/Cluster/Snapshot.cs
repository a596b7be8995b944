using System.Buffers.Binary;

namespace DocumentStore.Cluster;

/// <summary>
/// What a leader offers a follower that is behind the head of its log: its collection's own log, from the first file to the end of a
/// commit. Those bytes never change, so nothing is made or held up for it, and pieces of it may come at any time. Threads: immutable.
/// </summary>
/// <param name="Member">Who has it.</param>
/// <param name="Head">Where the member's log begins: who has this entry needs no snapshot.</param>
/// <param name="Id">The member's collection. No copy of it has this number.</param>
/// <param name="Files">Where each file begins.</param>
/// <param name="End">Where to end.</param>
internal sealed record Snapshot(int Member, (long Index, long Term) Head, long Id, long[] Files, long End)
{
    /// <summary>A collection as it is now.</summary>
    public static Snapshot Of(int member, RaftFile file, Collection collection, string folder)
    {
        // In this order: the collection is at least as far as the head.
        ((long, long) head, long end) = (file.Head, collection.End);
        return new(member, head, IdOf(folder), [.. Compaction.FilesOf(folder).Where(first => first < end)], end);
    }

    /// <summary>The number of the collection in a folder, or of the one that is taken there.</summary>
    /// <returns>0 where there is none.</returns>
    public static long IdOf(string folder) =>
        File.Exists(IdPathOf(folder)) && BinaryPrimitives.TryReadInt64LittleEndian(File.ReadAllBytes(IdPathOf(folder)), out long id)
            ? id : 0;

    /// <summary>Gives a collection that has none a number. The log's own will not do: a snapshot takes it along to a member whose log
    /// then grows with other bytes, and pieces of two members would be put together.</summary>
    public static void Identify(string folder, long id)
    {
        if (IdOf(folder) != 0) return;
        byte[] bytes = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, id);
        File.WriteAllBytes(IdPathOf(folder), bytes);
    }

    /// <summary>Where that number is.</summary>
    public static string IdPathOf(string folder) => Path.Combine(folder, "id");

    /// <summary>A piece of the log in a folder, or less where a file ends.</summary>
    public static byte[] Read(string folder, long position, int bytes)
    {
        long first = Compaction.FilesOf(folder).LastOrDefault(first => first <= position, -1);
        if (first < 0) throw new ArgumentException("The log begins after it.");
        using FileStream from = new(PathOf(folder, first), FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        from.Position = position - first;
        byte[] piece = new byte[bytes];
        return piece[..from.ReadAtLeast(piece, bytes, throwOnEndOfStream: false)];
    }

    public static string PathOf(string folder, long first) => Path.Combine(folder, $"{first:D19}.log");

    public static Snapshot Decode(ReadOnlySpan<byte> offer)
    {
        SpanReader from = new(offer);
        int member = (int)from.ReadVarint();
        (long, long) head = ((long)from.ReadVarint(), (long)from.ReadVarint());
        (long id, long end) = (from.Read<long>(), (long)from.ReadVarint());
        long[] files = new long[(int)from.ReadVarint()];
        foreach (ref long first in files.AsSpan()) first = (long)from.ReadVarint();
        return new(member, head, id, files, end);
    }

    public byte[] Encode()
    {
        using SegmentList list = new();
        using Appender to = new(list);
        to.WriteVarint(Member);
        to.WriteVarint(Head.Index);
        to.WriteVarint(Head.Term);
        to.Write(Id);
        to.WriteVarint(End);
        to.WriteVarint(Files.Length);
        foreach (long first in Files) to.WriteVarint(first);
        to.Commit();
        return list.ToArray();
    }
}
