namespace MemPrims.Records.Tests.Faults;

// The steps of the protocol that can be switched off.
internal enum Step
{
    None,
    ZeroTornMeta,
    RewriteWinningMeta,
    SyncBeforeMeta,
    SyncAfterMeta,
    RepeatWrites,
    SyncOnOpen,
    SyncBeside,
}

// Recognises the steps in the stream of operations of the real code, and drops one: a write of zeros to a meta slot with its sync; a write
// to a meta slot of what is there already, with its sync or the sync alone; the writes of a small commit, repeated before that; the sync
// after pages; the sync after a new meta.
internal sealed class StepFilter(Step without, CrashDisk disk)
{
    private Step _lastWrite = Step.None;
    private bool _dropSync, _opened;

    // What the operation does for the protocol.
    public Step Recognise(Operation operation)
    {
        if (operation.Kind == OperationKind.Sync) return _lastWrite;
        if (operation.Kind == OperationKind.Extend || operation.Offset >= CrashDisk.MetaEnd) return _lastWrite = _opened
            ? Step.SyncBeforeMeta : Step.RepeatWrites;
        Span<byte> present = disk.View.Slice((int)operation.Offset, MetaHeader.Size);
        _lastWrite = operation.Bytes.AsSpan().IndexOfAnyExcept((byte)0) < 0 ? Step.ZeroTornMeta
            : operation.Bytes.AsSpan(0, MetaHeader.Size).SequenceEqual(present) ? Step.RewriteWinningMeta
            : Step.SyncAfterMeta;
        _opened |= _lastWrite == Step.RewriteWinningMeta;
        return _lastWrite;
    }

    public bool Drops(Operation operation)
    {
        Step step = Recognise(operation);
        if (step == Step.RepeatWrites) return step == without;
        if (step == Step.RewriteWinningMeta && without == Step.SyncOnOpen) return operation.Kind == OperationKind.Sync;
        if (operation.Kind != OperationKind.Sync) return _dropSync = step == without
            && step is Step.ZeroTornMeta or Step.RewriteWinningMeta && step == without;
        bool drops = _dropSync || (step == without && step is Step.SyncBeforeMeta or Step.SyncAfterMeta && step == without);
        _dropSync = false;
        return drops;
    }
}
