namespace MemPrims.Channels.Native;

/// <summary>Threads of this package's own, which end with the process.</summary>
internal static class BackgroundThread
{
    /// <summary>
    /// False where the system has no thread to give: memory is short, or descriptors, of which the runtime takes one for a moment.
    /// </summary>
    public static bool TryStart(string name, ThreadStart run, int stackBytes = 0)
    {
        try
        {
            new Thread(run, stackBytes) { IsBackground = true, Name = $"MemPrims.Channels {name}" }.UnsafeStart();
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
    }

    /// <summary>Starts a thread that a call cannot do without.</summary>
    /// <exception cref="IOException">The system has none to give.</exception>
    public static void Start(string name, ThreadStart run)
    {
        if (!TryStart(name, run))
            throw new IOException($"No thread could be started for the {name}: this process is short of memory, threads or descriptors.");
    }
}
