using System.Net;

namespace DocumentStore.Cluster;

/// <summary>A node of a cluster. A member has two ports: Raft's, and the next one for clients.</summary>
public sealed record NodeOptions
{
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

    /// <exception cref="ArgumentException">There is no such member, or two have the same port.</exception>
    internal IPEndPoint Self => Id < 1 || Id > Members.Length
        ? throw new ArgumentException($"There are {Members.Length} members, and none has the id {Id}.")
        : Members.Concat(Members.Select(ClientsOf)).CountBy(static one => one).FirstOrDefault(static one => one.Value > 1).Key is { } twice
        ? throw new ArgumentException($"{twice} is there twice: a member has two ports, its own and the next one for clients.")
        : Members[Id - 1];

    internal static IPEndPoint ClientsOf(IPEndPoint member) => new(member.Address, member.Port + 1);
}
