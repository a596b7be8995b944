using MemPrims.Benchmarks.Ratio;

namespace MemPrims.Benchmarks.Publish;

/// <summary>A page of results: the groups whose cases stand in some folders of this project.</summary>
internal sealed record Room(string Title, string Name, params string[] Folders)
{
    /// <summary>The room of the sweeps by size.</summary>
    public static readonly Room Blocks = new("Blocks", "blocks", "Compare", "Copy");

    /// <summary>All, in the order of the repository's main page.</summary>
    public static readonly Room[] All =
    [
        new("Records and a log", "records", "Records"),
        new("Facets and sets", "sets", "Sets"),
        new("Pages", "pages", "Pages"),
        new("Channels", "channels", "Channels"),
        new("Wire", "wire", "Wire"),
        new("Codecs and appenders", "buffers", "Buffers", "Codecs", "Checksums"),
        Blocks,
    ];

    /// <summary>The results of each room. Results of cases that there are no more stand on no page.</summary>
    public static IEnumerable<(Room Room, RatioResult[] Results)> Of(IEnumerable<RatioResult> results)
    {
        IReadOnlyDictionary<string, string> folders = RatioCommand.Folders();
        if (folders.Values.Except(All.SelectMany(room => room.Folders)).FirstOrDefault() is { } folder)
            throw new InvalidOperationException($"The folder {folder} has cases and no room. Give it one here.");
        return from room in All
               let its = results.Where(row => folders.TryGetValue(row.Group, out string? of) && room.Folders.Contains(of)).ToArray()
               where its.Length > 0
               select (room, its);
    }
}

/// <summary>One case beside one peer. <paramref name="Case"/>: by its group and name, as on all pages.</summary>
internal sealed record Comparison(string Group, string Case, string Peer, double Ratio)
{
    public static Comparison[] Of(IEnumerable<RatioResult> results) => [.. from row in results
                                                                          from peer in row.Peers
                                                                          select new Comparison(row.Group, $"{row.Group}: {row.Name}",
                                                                              peer.Peer, peer.RatioOfMedians)];
}
