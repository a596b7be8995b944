namespace MemPrims.Pages;

// A file as the running system knows it: which start of the machine, and which file, by its device, number and birth. As long as both are
// the same, the system still has every store through a map of the file, though the process that made it has died. A copy of the file is
// another file. Known on Linux, where the file system tells of births.
internal readonly record struct FileLife(ulong Boot, ulong Number)
{
    // The life of an open file; default where nobody knows it.
    public static FileLife Of(SafeFileHandle file) =>
        SystemFile.Here.BirthOf(file) is { } birth && SystemFile.Here.Boot is not 0 and var boot
            ? new(boot, Mix(Mix(Mix(birth.Device, birth.Number), birth.Seconds), birth.Nanoseconds)) : default;

    // Whether the system still has all that was stored in a file of this life. It has dropped pages where it could not write them; then it
    // says so once, to whoever opens the file after that.
    public bool IsWhole(SafeFileHandle file) => this != default && this == Of(file) && SystemFile.Here.HasKeptAll(file);

    // As SystemFile.IsOrdinary, for the command: there is a SystemFile in two of its packages, so it can name neither.
    public static bool IsOrdinary(string path) => SystemFile.Here.IsOrdinary(path);

    private static ulong Mix(ulong seed, ulong value)
    {
        ulong high = Math.BigMul(seed ^ 0x9E37_79B9_7F4A_7C15, value ^ 0xD6E8_FEB8_6659_FD93, out ulong low);
        return high ^ low;
    }
}
