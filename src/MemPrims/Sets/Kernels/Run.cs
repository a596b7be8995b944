namespace MemPrims.Sets;

// A stretch of ids without a gap, as the portable format has it: the first, and how many follow it.
[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal readonly struct Run(int start, int end)
{
    public readonly ushort Start = (ushort)start, LengthMinusOne = (ushort)(end - start);

    // The last id. Bytes that were not checked may say that it lies past the container: the container's last id then.
    public int End
    {
        get
        {
            int end = Start + LengthMinusOne;
            return (end | ((Container.Universe - 1 - end) >> 31)) & 0xFFFF;
        }
    }
}
