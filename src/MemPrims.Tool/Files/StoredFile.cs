using MemPrims.Tool.Output;

namespace MemPrims.Tool.Files;

/// <summary>A file or folder of one of the library's kinds. What is damaged is an exception. Nothing here writes to the file.</summary>
internal abstract class StoredFile
{
    /// <summary>What it is, in words.</summary>
    public abstract string Kind { get; }

    /// <summary>What its header tells, and what takes no longer than opening it.</summary>
    public abstract void Describe(Report report);

    /// <summary>Reads and checks all of it.</summary>
    /// <param name="report">What was checked, and what was not.</param>
    /// <param name="progress">Is told how much of how much is done.</param>
    public abstract void Verify(Report report, Action<long, long> progress);

    /// <summary>Writes out its entries.</summary>
    public abstract void WriteTo(Dump dump);

    /// <summary>Copies what is sound into a new file; the parts that were lost are told.</summary>
    /// <returns>Whether all of it was sound.</returns>
    public virtual bool Salvage(string newPath, Report report) => throw new UsageException($"Nothing can be salvaged of {Kind}: nothing "
        + "tells its sound parts from the others. Restore it, or build it again.");
}
