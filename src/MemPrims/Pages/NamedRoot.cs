namespace MemPrims.Pages;

// The store of one of several trees in a file: its root is noted under the tree's name, or, for the tree of names itself, in the header of
// the file. All else is the file's.
internal sealed unsafe class NamedRoot(MappedPages file, byte[]? name) : IPageStore
{
    public MappedPages File => file;

    public StoreUse Use => file.Use;

    public int PageSize => file.PageSize;

    public uint PageCount => file.PageCount;

    public uint Root
    {
        get => name is null ? file.Directory : file.RootOf(name);
        set
        {
            if (name is null) file.Directory = value;
            else file.SetRootOf(name, value);
        }
    }

    public uint Allocate() => file.Allocate();

    public void Free(uint page) => file.Free(page);

    public byte* Page(uint page) => file.Page(page);

    public void BeginChange() => file.BeginChange();
}
