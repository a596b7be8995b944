namespace MemPrims.Records.Tests;

// Options for files whose every byte a test looks at: the smallest meta slots.
internal static class Small
{
    public const int SlotBytes = 4096;

    public static readonly MappedFileOptions Slots = new() { MetaSlotBytes = SlotBytes };
}
