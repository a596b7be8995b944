namespace MemPrims.Sets;

/// <summary>A stretch of ids without a gap, as the portable format has it: the first, and how many follow it.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal readonly struct Run(int start, int end)
{
    public readonly ushort Start = (ushort)start, LengthMinusOne = (ushort)(end - start);

    /// <summary>The last id. Bytes that were not checked may say that it lies past the container: the container's last id then.</summary>
    public int End
    {
        get
        {
            int end = Start + LengthMinusOne;
            return (end | ((Container.Universe - 1 - end) >> 31)) & 0xFFFF;
        }
    }
}
