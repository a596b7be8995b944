namespace MemPrims.Records.Reading;

// The locks behind the pins of one open file: shared locks on the bytes of even and of odd transactions, on an open file description of
// their own, since a lock on the writer's own description would be no lock. Each is taken with the first pin of its parity and let go with
// the last. The kernel frees both when the process dies.
internal sealed class PinLock(RecordFile file)
{
    private readonly OrderedLock _lock = new(LockOrder.Leaf);
    private readonly int[] _pins = new int[2];
    private IStorage? _handle;
    private Action? _closed;

    // Locks the parity of the newest state, and pins that state if it still stands: from then on the writer gets no further than one
    // commit. Otherwise a commit came between, and it is tried again.
    public Pin Take()
    {
        FileState state = file.Latest();
        for (Deadline deadline = Deadline.After(file.Options.PinTimeout); ; state = file.Latest())
        {
            LockByte parity = (LockByte)(state.Transaction & 1);
            if (TryHold(parity))
            {
                if (state.Stands()) return new(this, parity, state);
                Release(parity);
                continue;
            }
            if (deadline.HasPassed)
                throw new MappedFileException(MappedFileReason.Pinned, file.Path,
                    $"The writer was busy committing for {file.Options.PinTimeout}: try again, or wait longer (PinTimeout).");
            Thread.Sleep(1);
        }
    }

    private bool TryHold(LockByte parity)
    {
        using (_lock.Enter())
        {
            if (_closed is not null) throw file.Closed();
            if (_pins[(int)parity] == 0 && !(_handle ??= file.Storage.Reopen()).TryLock(parity, exclusive: false)) return false;
            _pins[(int)parity]++;
            return true;
        }
    }

    public void Release(LockByte parity)
    {
        using (_lock.Enter())
        {
            if (--_pins[(int)parity] > 0) return;
            _handle!.Unlock(parity);
            EndIfClosed();
        }
    }

    // No pin is taken from now on. The last one ends the handle and calls `closed`.
    public void Close(Action closed)
    {
        using (_lock.Enter())
        {
            _closed = closed;
            EndIfClosed();
        }
    }

    private void EndIfClosed()
    {
        if (_closed is null || _pins[0] + _pins[1] > 0) return;
        _handle?.Dispose();
        _closed();
    }
}
