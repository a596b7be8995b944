namespace MemPrims.Channels.Native;

// Memory files: how they are made, given their memory, and sealed.
internal static class MemoryFile
{
    private const int F_SEAL_SEAL = 1, F_SEAL_SHRINK = 2, F_SEAL_GROW = 4, F_SEAL_FUTURE_WRITE = 16;

    // The file keeps its length and its seals.
    public const int KeepsLength = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;

    // The same, and whoever maps it from now on can only read.
    public const int ReadOnlyForOthers = KeepsLength | F_SEAL_FUTURE_WRITE;

    public static int TryCreate(string name)
    {
        const uint MFD_CLOEXEC = 1, MFD_ALLOW_SEALING = 2, MFD_NOEXEC_SEAL = 8;
        int file = Posix.MemfdCreate(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
        // Linux before 6.3 does not know the last flag.
        return file >= 0 || Errno.Last != Errno.EINVAL ? file : Posix.MemfdCreate(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }

    // The seals of a file; none where it is no memory file.
    public static int Seals(int file)
    {
        int seals = Posix.Fcntl(file, Posix.F_GET_SEALS, 0);
        return seals < 0 ? 0 : seals;
    }

    public static bool TryAllocate(int file, nint offset, nint length)
    {
        // On older kernels a signal ends a call half-way, and the kernel then frees what the call had allocated. Small steps keep what is
        // done. Linux 6.18 ends it for fatal signals only, so there no test can see this.
        const nint step = 1 << 20;
        for (nint end = offset + length; offset < end;)
        {
            nint next = Math.Min(step, end - offset);
            if (Posix.Fallocate(file, 0, offset, next) == 0) offset += next;
            else if (Errno.Last != Errno.EINTR) return false;
        }
        return true;
    }
}
