namespace MemPrims.Tests;

// A test on blocks over 4 GiB: reported as skipped, with the reason, where they cannot be had.
[AttributeUsage(AttributeTargets.Method)]
internal sealed class LargeMemoryFactAttribute : FactAttribute
{
    public LargeMemoryFactAttribute() => Skip = RepeatedMemory.Missing;
}
