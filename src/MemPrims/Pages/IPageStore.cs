namespace MemPrims.Pages;

/// <summary>
/// Where a <see cref="SortedTree"/> keeps its pages: <see cref="MemoryPages"/>, <see cref="MappedPages"/>, or a type of the caller's.
/// Threads: any number of calls of <see cref="Page"/> at once, or one call of any other member.
/// </summary>
/// <remarks>
/// <para>
/// A store keeps all of its pages in memory, mapped memory among it: it is not told when the tree is done with a page, nor which pages
/// were changed. So a cache of some of the pages of a file cannot be a store; map the file and leave that to the system.
/// </para>
/// <para>
/// One tree lives in a store, at <see cref="Root"/>, and one <see cref="SortedTree"/> is over it: after a change by another one it throws.
/// For several trees in one file see <see cref="MappedPages.Tree"/>. In another store, give each tree a store of its own type, which
/// passes everything on to the shared one but keeps its own <see cref="Root"/>.
/// </para>
/// </remarks>
public unsafe interface IPageStore
{
    /// <summary>The bytes of every page: a multiple of 64, from 512 to 65,536. It never changes.</summary>
    int PageSize { get; }

    /// <summary>Above every number that was ever given out.</summary>
    uint PageCount { get; }

    /// <summary>Where the tree starts; 0 as long as there is none. The store only keeps it.</summary>
    uint Root { get; set; }

    /// <summary>Gives out a page, whatever its bytes are. Its number is never 0.</summary>
    /// <exception cref="IOException">There is no room. The tree then stays as it was.</exception>
    uint Allocate();

    /// <summary>
    /// Takes a page back; its number may be given out again. Where it throws, it has not taken the page: the tree has made its change, as
    /// a whole, passes the exception on, and offers the page again with its next change.
    /// </summary>
    void Free(uint page);

    /// <summary>
    /// Called before each change of a tree, before any byte of a page is changed. A store that passes calls on to a
    /// <see cref="MappedPages"/> passes this on too: the file has to know that it is changed.
    /// </summary>
    void BeginChange()
    {
    }

    /// <summary>Where a page lies; null for a number that was never given out, and after the store was disposed of.</summary>
    /// <remarks>
    /// <para><b>Readable range.</b> <see cref="PageSize"/> bytes, which may be written too.</para>
    /// <para><b>Overlap.</b> No two pages overlap.</para>
    /// <para><b>Alignment.</b> Any. A multiple of 64 makes the search fastest.</para>
    /// <para><b>Lifetime.</b> As long as the page is given out. A tree keeps addresses, so it must not be used after its store.</para>
    /// <para><b>Wrong length.</b> A page with fewer bytes than <see cref="PageSize"/> is read and written after its end.</para>
    /// </remarks>
    byte* Page(uint page);
}
