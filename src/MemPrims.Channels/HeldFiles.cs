namespace MemPrims.Channels;

// The numbers of descriptors that are sent, held open until this is disposed.
internal readonly struct HeldFiles : IDisposable
{
    private readonly SafeHandle[] _handles;

    public HeldFiles(ReadOnlySpan<SafeHandle> handles)
    {
        _handles = [];
        Numbers = [];
        if (handles.IsEmpty) return;
        if (handles.Length > Rights.Most)
            throw new ArgumentException($"{handles.Length} handles in one message: the kernel passes {Rights.Most} at most. Send the " +
                "others with another message.", nameof(handles));
        _handles = new SafeHandle[handles.Length];
        Numbers = new int[handles.Length];
        int held = 0;
        try
        {
            for (; held < handles.Length; held++)
            {
                ArgumentNullException.ThrowIfNull(handles[held], nameof(handles));
                if (handles[held].IsInvalid) throw new ArgumentException($"Handle {held} is no open file.", nameof(handles));
                bool added = false;
                handles[held].DangerousAddRef(ref added);
                _handles[held] = handles[held];
                Numbers[held] = (int)handles[held].DangerousGetHandle();
            }
        }
        catch
        {
            while (held > 0) _handles[--held].DangerousRelease();
            throw;
        }
    }

    public int[] Numbers { get; }

    public void Dispose()
    {
        foreach (SafeHandle handle in _handles) handle.DangerousRelease();
    }
}
