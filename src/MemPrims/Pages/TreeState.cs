namespace MemPrims.Pages;

/// <summary>
/// What the header of a tree says, as one tree object has last read it. A reader takes the object once, so all that it uses fits together
/// also where another reader reads the header anew. Only a writer changes it.
/// </summary>
internal sealed class TreeState
{
    public uint Header, Top;

    /// <summary>0 where there is no tree yet.</summary>
    public int Levels;
    public long Count;

    /// <summary>
    /// The header's number at the end of the last change. It is even. In the header it is odd while a change is being made.
    /// </summary>
    public ulong Changes;
}
