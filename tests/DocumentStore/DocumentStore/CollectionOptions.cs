namespace DocumentStore;

/// <summary>How a collection is opened. Nothing of it is kept in the folder.</summary>
public sealed record CollectionOptions
{
    /// <summary>
    /// The program of the worker with its first arguments. It must call <see cref="Index.IndexWorker.TryRun"/>. Without it this program
    /// starts itself again.
    /// </summary>
    public string[] Worker { get; init; } = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet"
        ? [Environment.ProcessPath!, System.Reflection.Assembly.GetEntryAssembly()!.Location] : [Environment.ProcessPath!];

    /// <summary>How long to wait for another process that has the collection open, before the error.</summary>
    public TimeSpan WaitForOther { get; init; }

    /// <summary>How long a file of the log becomes before the next one begins. A compaction drops whole files.</summary>
    public long LogFileBytes { get; init; } = 16 << 20;

    /// <summary>How long an answer of the worker may take, its new start included.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(60);
}
