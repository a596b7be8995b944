namespace MemPrims.Channels.Native;

// Threads of this package's own, which end with the process.
internal static class BackgroundThread
{
    // False where the system has no thread to give: memory is short, or descriptors, of which the runtime takes one for a moment.
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

    // Starts a thread that a call cannot do without.
    // Throws IOException where the system has none to give.
    public static void Start(string name, ThreadStart run)
    {
        if (!TryStart(name, run))
            throw new IOException($"No thread could be started for the {name}: this process is short of memory, threads or descriptors.");
    }
}
