namespace MemPrims.Systems;

internal partial class UnixFile
{
    public override void KeepPrivate(FileStreamOptions options) => options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
}
