namespace MemPrims.Pages;

// What the header of a tree says. A reader takes the object once, so all that it uses fits together. Only a writer changes it.
internal sealed unsafe class TreeState
{
    // The header of a tree that has no page yet: its number of changes is that of no tree. Never freed.
    private static readonly TreeHeader* s_none = MakeNone();

    // Where the header is.
    public TreeHeader* Header = s_none;
    public uint Top;

    // 0 where there is no tree yet.
    public int Levels;
    public long Count;

    // The header's number at the end of the last change. It is even. In the header it is odd while a change is being made.
    public ulong Changes;

    private static TreeHeader* MakeNone()
    {
        TreeHeader* none = (TreeHeader*)NativeMemory.AllocZeroed(TreeHeader.Bytes);
        none->Changes = ulong.MaxValue;
        return none;
    }
}
