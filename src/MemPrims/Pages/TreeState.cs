namespace MemPrims.Pages;

// What the header of a tree says, as one tree object has last read it. A reader takes the object once, so all that it uses fits together
// also where another reader reads the header anew. Only a writer changes it.
internal sealed unsafe class TreeState
{
    public uint Header, Top;

    // 0 where there is no tree yet.
    public int Levels;
    public long Count;

    // The header's number at the end of the last change. It is even. In the header it is odd while a change is being made.
    public ulong Changes;

    // Where that number is in the header, in a store that never moves its pages: a look at it costs no call of the store. Elsewhere, and
    // where there is no tree yet, the address of a number that no tree has.
    public ulong* ChangesNow = s_none;

    private static readonly ulong* s_none = NoNumber();

    public TreeState()
    {
    }

    public TreeState(TreeHeader* header, bool staysInPlace)
    {
        if (staysInPlace) ChangesNow = &header->Changes;
    }

    // Never freed.
    private static ulong* NoNumber()
    {
        ulong* number = (ulong*)NativeMemory.Alloc(sizeof(ulong));
        *number = ulong.MaxValue;
        return number;
    }
}
