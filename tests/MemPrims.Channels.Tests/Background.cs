using System.Runtime.ExceptionServices;

namespace MemPrims.Channels.Tests;

// Something done by another thread meanwhile. Disposing it waits for the end and throws what was thrown there.
internal sealed class Background : IDisposable
{
    private readonly Thread _thread;
    private Exception? _thrown;

    private readonly TimeSpan _longest;

    public Background(Action work, TimeSpan? longest = null)
    {
        _longest = longest ?? TimeSpan.FromMinutes(2);
        _thread = new(() =>
        {
            try
            {
                work();
            }
            catch (Exception e)
            {
                _thrown = e;
            }
        })
        { IsBackground = true };
        _thread.Start();
    }

    // Waits for the end; what was thrown, or null.
    public Exception? Outcome()
    {
        if (!_thread.Join(_longest)) throw new TimeoutException($"The other thread of a test did not end within {_longest}.");
        Exception? thrown = _thrown;
        _thrown = null;
        return thrown;
    }

    public void Dispose()
    {
        if (Outcome() is { } thrown) ExceptionDispatchInfo.Throw(thrown);
    }
}
