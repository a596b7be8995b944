using System.Net;

namespace DocumentStore.Cluster;

/// <summary>A node of a cluster. A member has two ports: Raft's, and the next one for clients.</summary>
public sealed record NodeOptions
{
    private static readonly TimeSpan s_leastTimeout = TimeSpan.FromMilliseconds(50), s_mostTimeout = TimeSpan.FromHours(1);

    /// <summary>The folder of the node: the collection and Raft's log lie in it.</summary>
    public required string Folder { get; init; }

    /// <summary>Which of the members this is, from 1 on.</summary>
    public required int Id { get; init; }

    /// <summary>All members, in the same order on each node. They stay as they are.</summary>
    public required IPEndPoint[] Members { get; init; }

    /// <summary>Where to listen, if not at the member's address.</summary>
    public IPEndPoint? Listen { get; init; }

    public Definition? Definition { get; init; }

    /// <summary>After so long without a leader a node asks for votes; each waits up to twice as long, by chance.</summary>
    public TimeSpan ElectionTimeout { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>So many entries that are in the collection stay in Raft's log: who misses more gets a snapshot.</summary>
    public int KeepEntries { get; init; } = 1000;

    /// <summary>How long a file of Raft's log becomes: it is cut file by file.</summary>
    public long LogFileBytes { get; init; } = 16 << 20;

    /// <summary>Hears what goes wrong and is tried again.</summary>
    public Action<string> Tell { get; init; } = Console.Error.WriteLine;

    /// <summary>Whether a folder is the collection of a node: nobody else may change it.</summary>
    public static bool IsCollectionOfNode(string folder)
    {
        string full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder));
        return Path.GetDirectoryName(full) is { } parent && SnapshotTaker.CollectionOf(parent) == full && File.Exists(ClaimOf(parent));
    }

    internal IPEndPoint Self => Members[Id - 1];

    internal string MembersText => string.Join(',', (object[])Members);

    /// <summary>Makes the folder, and keeps in it whose it is.</summary>
    /// <returns>Whether it was nobody's.</returns>
    /// <exception cref="ArgumentException">There is no such member, two have the same port, or a number is too small.</exception>
    /// <exception cref="IOException">The folder is another member's, who may have voted and acknowledged otherwise.</exception>
    internal bool Claim()
    {
        if (Id < 1 || Id > Members.Length) throw new ArgumentException($"There are {Members.Length} members, and none has the id {Id}.");
        IPEndPoint? twice = Members.Concat(Members.Select(ClientsOf)).CountBy(static one => one)
            .FirstOrDefault(static one => one.Value > 1).Key;
        if (twice is not null)
            throw new ArgumentException($"{twice} is there twice: a member has two ports, its own and the next one for clients.");
        IPEndPoint? taken = Members.GroupBy(static one => one.Address).Where(static same => same.Count() > 1)
            .SelectMany(static same => same).FirstOrDefault(static one => one.Port + 1 >= Connections.FirstOfSystem);
        if (taken is not null)
            throw new ArgumentException($"{taken} is among the ports that the system gives to connections, from "
                + $"{Connections.FirstOfSystem} on: another member of this machine could connect to itself there.");
        if (ElectionTimeout < s_leastTimeout || ElectionTimeout > s_mostTimeout || KeepEntries < 1)
            throw new ArgumentException($"A node waits for a leader {s_leastTimeout.TotalMilliseconds} ms at least and an hour at most, "
                + "and keeps an entry.");
        string path = ClaimOf(Folder), self = $"{Id} of {MembersText}";
        Directory.CreateDirectory(Folder);
        if (File.Exists(path))
            return File.ReadAllText(path) is var other && other == self ? false
                : throw new IOException($"{Folder} is the folder of member {other}. This is to be {self}.");
        if (Compaction.FilesOf(Folder).Length > 0)
            throw new IOException($"{Folder} is a collection. A node has a folder of its own: load the documents into the cluster.");
        File.WriteAllText(path + ".new", self);
        File.Move(path + ".new", path, overwrite: true);
        return true;
    }

    /// <summary>Takes that back: the node has not started.</summary>
    internal void Disclaim() => File.Delete(ClaimOf(Folder));

    private static string ClaimOf(string folder) => Path.Combine(folder, "member");

    internal static IPEndPoint ClientsOf(IPEndPoint member) => new(member.Address, member.Port + 1);
}
