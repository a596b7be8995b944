namespace MemPrims.Pages;

/// <summary>
/// Where a <see cref="SortedTree"/> keeps its pages: <see cref="MemoryPages"/>, <see cref="MappedPages"/>, or a type of the caller's.
/// One tree lives in a store; it asks on one thread at a time.
/// </summary>
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

    /// <summary>Takes a page back; its number may be given out again.</summary>
    void Free(uint page);

    /// <summary>Where a page lies; null for a number that was not given out, and after the store was disposed of.</summary>
    /// <remarks>
    /// <para><b>Readable range.</b> <see cref="PageSize"/> bytes, which may be written too.</para>
    /// <para><b>Overlap.</b> No two pages overlap.</para>
    /// <para><b>Alignment.</b> Any. A multiple of 64 makes the search fastest.</para>
    /// <para>
    /// <b>Lifetime.</b> Until the next <see cref="Allocate"/> or <see cref="Free"/>. Where two trees share a store, or others change it
    /// while a
    /// span or a cursor of a tree is used, the address must hold as long as the page is given out. It does in the two stores that ship.
    /// </para>
    /// <para><b>Wrong length.</b> A page with fewer bytes than <see cref="PageSize"/> is read and written behind its end.</para>
    /// </remarks>
    byte* Page(uint page);
}
