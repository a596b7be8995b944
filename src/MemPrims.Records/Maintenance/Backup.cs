namespace MemPrims.Records.Maintenance;

// A copy of the file as of a pin. Each page is checked and goes into copy A as it is, with its number, transaction and checksum; the metas
// are of the pinned transaction and the one after it.
internal static class Backup
{
    private const int PagesAtOnce = 128;

    public static void Write(FileState state, IStorage source, string path) =>
        NewFile.Make(path, "write the backup", made => Write(state, source, made), source.Rights);

    private static void Write(FileState state, IStorage source, FileStorage target)
    {
        MetaHeader header = state.Meta.Header;
        byte[] pairs = new byte[PagesAtOnce * 2 * PageHeader.PageBytes];
        for (int page = 0; page < state.PageCount; page += PagesAtOnce)
        {
            int pages = Math.Min(PagesAtOnce, state.PageCount - page);
            for (int i = 0; i < pages; i++)
                state.ReadPage(page + i, source, pairs.AsSpan(i * 2 * PageHeader.PageBytes, PageHeader.PageBytes));
            target.Write(PageHeader.OffsetOf(header.SlotBytes, page, 0), pairs.AsSpan(0, pages * 2 * PageHeader.PageBytes));
        }
        EmptyFile.WriteMetas(target, header);
    }
}
