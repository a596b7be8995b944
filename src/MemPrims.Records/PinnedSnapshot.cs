using System.ComponentModel;
using System.Diagnostics;
using MemPrims.Records.Format;
using MemPrims.Records.Reading;
using MemPrims.Records.Storage;
using MemPrims.Records.Writing;

namespace MemPrims.Records;

/// <summary>
/// The file as of one commit, for as long as this is not disposed. Held by a shared lock on an open file description of its own, which the kernel
/// frees when the process dies. Views and spans from it must not be used after Dispose. Any number of threads may read from it.
/// </summary>
public sealed class PinnedSnapshot<T> : IDisposable where T : IMappedRecord<T>, allows ref struct
{
    private readonly FileState _state;
    private Pin? _pin;

    private PinnedSnapshot(Pin pin)
    {
        _pin = pin;
        _state = pin.State;
    }

    /// <summary>How many records there are.</summary>
    public int Count => _state.Count;

    /// <summary>The number of the commit.</summary>
    public long Transaction => (long)_state.Transaction;

    /// <summary>What the generated <c>Read</c> and <c>View</c> call.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public unsafe TView ViewOf<TView>(long id) where TView : IRecordView<TView>, allows ref struct
    {
        ObjectDisposedException.ThrowIf(_pin is null, this);
        return TView.Over(new(_state.Locate(id), _state));
    }

    /// <summary>What the generated <c>Scan</c> calls.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public RecordScan<TView> ScanOf<TView>() where TView : IRecordView<TView>, allows ref struct
    {
        ObjectDisposedException.ThrowIf(_pin is null, this);
        return new(_state);
    }

    /// <summary>Lets the writer have the pages.</summary>
    public void Dispose() => Interlocked.Exchange(ref _pin, null)?.Dispose();

    internal static PinnedSnapshot<T> Of(RecordFile file) => new(Pin.Take(file));
}

/// <summary>The lock behind a pinned snapshot.</summary>
internal sealed class Pin : IDisposable
{
    private readonly IStorage _handle;
    private readonly LockByte _parity;
    private readonly ulong _fileId;

    private Pin(IStorage handle, LockByte parity, FileState state)
    {
        _handle = handle;
        _parity = parity;
        _fileId = state.Meta.Header.FileId;
        State = state;
        OwnPins.Add(_fileId, parity);
    }

    public FileState State { get; }

    /// <summary>
    /// Locks the parity of the newest transaction, reads the meta again, and pins what it then says if that has the same parity: from then on the
    /// writer gets no further than one commit. Otherwise the writer passed by, and it is tried again.
    /// </summary>
    public static Pin Take(RecordFile file)
    {
        ulong transaction = file.Latest().Transaction;
        IStorage handle = file.Storage.Reopen();
        try
        {
            for (long start = Stopwatch.GetTimestamp(); ;)
            {
                LockByte parity = (LockByte)(transaction & 1);
                if (handle.TryLock(parity, exclusive: false))
                {
                    Meta meta = file.Newest();
                    transaction = meta.Header.Transaction;
                    if ((LockByte)(transaction & 1) == parity) return new(handle, parity, file.Frozen(meta));
                    handle.Unlock(parity);
                }
                else
                {
                    Thread.Sleep(1);
                    transaction = file.Latest().Transaction;
                }
                if (Stopwatch.GetElapsedTime(start) >= file.Options.PinTimeout)
                    throw new MappedFileException(MappedFileReason.Pinned, file.Storage.Path, $"The writer was busy committing for {file.Options.PinTimeout}: try again.");
            }
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        OwnPins.Remove(_fileId, _parity);
        _handle.Dispose();
    }
}
