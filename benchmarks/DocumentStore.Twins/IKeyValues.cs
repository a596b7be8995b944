namespace DocumentStore.Twins;

/// <summary>A store on three nodes, for what every one of them can: keys and values. Threads: one.</summary>
internal interface IKeyValues : IDisposable
{
    /// <summary>A client with connections of its own.</summary>
    IKeyValueClient Connect();
}

/// <summary>One of its clients. Threads: one at a time.</summary>
internal interface IKeyValueClient : IDisposable
{
    /// <summary>All of them or none; on the disks of a majority when it returns.</summary>
    Task PutAsync(IReadOnlyList<(string Key, byte[] Value)> all);

    /// <summary>All that was acknowledged counts; at a follower, what it has.</summary>
    Task<byte[]?> GetAsync(string key, bool atFollower);
}
