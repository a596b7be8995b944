namespace MemPrims.Tool.Files;

// A file or folder of one of the library's kinds. What is damaged is an exception. Nothing here writes to the file.
internal abstract class StoredFile
{
    public abstract string Kind { get; }

    // What its header tells, and what takes no longer than opening it.
    public abstract void Describe(Report report);

    public abstract void Verify(Report report, Action<long, long> progress);

    public abstract void WriteTo(Dump dump);

    // Copies what is sound into a new file; the parts that were lost are told.
    // Whether all of it was sound.
    public virtual bool Salvage(string newPath, Report report) => throw new UsageException($"Nothing can be salvaged of {Kind}: nothing "
        + "tells its sound parts from the others. Restore it, or build it again.");
}
