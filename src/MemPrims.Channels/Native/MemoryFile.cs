namespace MemPrims.Channels.Native;

/// <summary>Memory files: how they are made, given their memory, and sealed.</summary>
internal static class MemoryFile
{
    public const int AddSeals = 1033, ReadOnly = 1, ReadWrite = 3, Shared = 1, PopulateForWriting = 23, FromEnd = 2;

    /// <summary>The file keeps its length and its seals.</summary>
    public const int KeepsLength = 1 | 2 | 4;

    /// <summary>The same, and whoever maps it from now on can only read.</summary>
    public const int ReadOnlyForOthers = KeepsLength | 16;

    private const int GetSeals = 1034;

    /// <summary>The descriptor of a new memory file, or -1.</summary>
    public static int TryCreate(string name)
    {
        const uint closeOnExec = 1, allowSealing = 2, noExec = 8;
        int file = Posix.CreateMemoryFile(name, closeOnExec | allowSealing | noExec);
        // Linux before 6.3 does not know the last flag.
        return file >= 0 || Errno.Last != Errno.Invalid ? file : Posix.CreateMemoryFile(name, closeOnExec | allowSealing);
    }

    /// <summary>The seals of a file; none where it is no memory file.</summary>
    public static int Seals(int file)
    {
        int seals = Posix.Control(file, GetSeals, 0);
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
            if (Posix.Allocate(file, 0, offset, next) == 0) offset += next;
            else if (Errno.Last != Errno.Interrupted) return false;
        }
        return true;
    }
}
