namespace MemPrims.Pages;

/// <summary>
/// What the header of a tree says, as one tree object has last read it. A reader takes the object once, so all that it uses fits together
/// also where another reader reads the header anew. Only a writer changes it.
/// </summary>
internal sealed unsafe class TreeState
{
    public uint Header, Top;

    /// <summary>0 where there is no tree yet.</summary>
    public int Levels;
    public long Count;

    /// <summary>
    /// The header's number at the end of the last change. It is even. In the header it is odd while a change is being made.
    /// </summary>
    public ulong Changes;

    /// <summary>
    /// Where that number is in the header, in a store that never moves its pages: a look at it costs no call of the store. Elsewhere, and
    /// where there is no tree yet, the address of a number that no tree has.
    /// </summary>
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
