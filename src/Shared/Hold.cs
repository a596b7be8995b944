namespace MemPrims.Shared;

// A reference to a handle: what it stands for stays open until this is disposed.
internal readonly ref struct Hold : IDisposable
{
    private readonly SafeHandle? _held;

    private Hold(SafeHandle held) => _held = held;

    // False where the handle was closed before.
    public bool IsThere => _held is not null;

    // Throws ObjectDisposedException where it is closed.
    public static Hold Of(SafeHandle handle)
    {
        bool added = false;
        handle.DangerousAddRef(ref added);
        return new(handle);
    }

    public static Hold TryOf(SafeHandle handle)
    {
        try
        {
            return Of(handle);
        }
        catch (ObjectDisposedException)
        {
            return default;
        }
    }

    public void Dispose() => _held?.DangerousRelease();
}
