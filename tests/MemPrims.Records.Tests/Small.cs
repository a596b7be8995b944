namespace MemPrims.Records.Tests;

// Options for files whose every byte a test looks at: the smallest meta slots.
internal static class Small
{
    public const int SlotBytes = 4096;

    public static readonly MappedFileOptions Slots = new() { MetaSlotBytes = SlotBytes };

    // Logs of many files, and no wait for another writer.
    public static readonly LogFileOptions Log = new() { FileBytes = 4096, WriterTimeout = TimeSpan.Zero };
}

internal static class Appending
{
    // Appends records with the defaults, in a transaction of their own.
    public static void AppendNew<T>(this MappedFile<T> file, int count = 1) where T : IMappedRecord<T>, allows ref struct
    {
        using WriteTransaction<T> tx = file.BeginWrite();
        for (int i = 0; i < count; i++) tx.Append();
        tx.Commit();
    }
}
