namespace MemPrims.Records.Writing;

// The pages that a transaction, or a group of them that is committed together, has touched. Later transactions of a group look into the
// sets of the earlier ones, so a set lives until the last who looks into it is done. The caller locks.
internal sealed class PageSet(PageArena arena)
{
    private static readonly TouchedPage[] s_none = new TouchedPage[0];

    private int _users = 1;

    // By page number; only some are filled.
    public TouchedPage[] Pages = s_none;

    // The numbers of those that are filled.
    public List<int> Touched { get; } = [];

    public PageArena Arena => arena;

    public TouchedPage this[int page] => page < Pages.Length ? Pages[page] : default;

    // Room for more pages than there were.
    public TouchedPage[] Room(int pages)
    {
        if (pages > Pages.Length) Grow(ref Pages, Math.Max(pages, Pages.Length + (Pages.Length >> 1) + 16));
        return Pages;
    }

    public static void Grow(ref TouchedPage[] pages, int length)
    {
        TouchedPage[] grown = new TouchedPage[length];
        Array.Copy(pages, grown, pages.Length);
        pages = grown;
    }

    public void Use() => _users++;

    // Gives the pages back when nobody uses them any more; true then.
    public bool Release()
    {
        if (--_users > 0) return false;
        foreach (int page in Touched)
        {
            arena.Return(Pages[page]);
            Pages[page] = default;
        }
        Touched.Clear();
        _users = 1;
        return true;
    }

    // Takes over the pages of a transaction that was built on this set; that one is empty then. `copies`: whether pages of which a span
    // was handed out are copied. The caller of an asynchronous commit goes on running, and may still store through the span.
    public unsafe void Take(PageSet later, bool copies)
    {
        Room(later.Pages.Length);
        foreach (int page in later.Touched)
        {
            TouchedPage taken = later.Pages[page];
            if (copies && taken.GivenOut)
            {
                TouchedPage own = arena.Take();
                own.Lines = taken.Lines;
                PageLines.Copy(taken.Bytes, own.Bytes, taken.Lines);
                arena.Return(taken);
                taken = own;
            }
            ref TouchedPage here = ref Pages[page];
            if (here.Bytes == null) Touched.Add(page);
            else
            {
                PageLines.Copy(here.Bytes, taken.Bytes, here.Lines & ~taken.Lines);
                taken.Lines |= here.Lines;
                arena.Return(here);
            }
            here = taken;
            later.Pages[page] = default;
        }
        later.Touched.Clear();
    }
}
