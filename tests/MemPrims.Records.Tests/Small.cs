namespace MemPrims.Records.Tests;

/// <summary>Options for files whose every byte a test looks at: the smallest meta slots.</summary>
internal static class Small
{
    public const int SlotBytes = 4096;

    public static readonly MappedFileOptions Slots = new() { MetaSlotBytes = SlotBytes };
}
