using MemPrims.Buffers;

namespace MemPrims.Records;

/// <summary>
/// A log in a folder: payloads are appended, read at their place out of mapped memory, and survive a crash from the <see cref="Sync"/> on
/// that acknowledged them. One <see cref="LogFile"/> writes, over all processes; any number read, by <see cref="OpenRead"/>. Every
/// member may be called from any thread at any time. <see cref="Dispose"/> waits for what has begun and turns away what has not.
/// </summary>
/// <remarks>
/// The files must not be cut off or written by other programs while the log is open: a mapped page whose file is shorter ends the process,
/// and so does one that the disk cannot read when <see cref="Read"/> or a loop comes to it. Opening, <see cref="Verify"/> and <see
/// cref="Salvage"/> read by calls of the system: to them it is damage.
/// LOG-FORMAT.md has the format.
/// </remarks>
public sealed class LogFile : IDisposable
{
    [ThreadStatic]
    private static SegmentList? t_encoded;

    private readonly LogEnd _end;
    private readonly LogWriter? _writer;
    private volatile bool _isDisposed;

    internal LogFile(ILogFolder folder, LogFileOptions options, bool creates, bool opens)
    {
        Segments = new(folder, options.FileBytes);
        try
        {
            Lock(folder, options.WriterTimeout);
            Segments.Load(writes: true);
            if (Segments.All.Length > 0 && !opens)
                throw new IOException($"There is a log in {folder.Path} already. Open it by Open, or give another folder.", Errno.EEXIST);
            if (Segments.All.Length == 0 && !creates) throw LogErrors.NoLog(folder.Path);
            LogScan found;
            if (Segments.All.Length > 0)
            {
                found = LogOpening.Run(Segments, options.Durability, out LogRecovery recovery);
                Recovery = recovery;
            }
            else
            {
                // All of it is on the disk by then.
                Segments.Prepare(0, RandomId.New());
                Segments.Publish(0);
                found = LogScan.Of(Segments);
                Recovery = new(0, 0, WasClosedCleanly: true, null);
            }
            _end = _writer = new(Segments, found, options.Durability);
        }
        catch (Exception e)
        {
            Segments.Close();
            folder.Dispose();
            if (e is not DamagedDataException && IoErrors.Of(e, folder.Path, "open the log") is { } told) throw told;
            throw;
        }
    }

    internal LogFile(ILogFolder folder, LogFileOptions options)
    {
        Segments = new(folder, options.FileBytes);
        try
        {
            LoadBesideWriter();
            LogFollower follower = new(Segments);
            _end = follower;
            Recovery = follower.Found;
        }
        catch (Exception e)
        {
            Segments.Close();
            if (e is not DamagedDataException && IoErrors.Of(e, folder.Path, "open the log") is { } told) throw told;
            throw;
        }
    }

    /// <summary>Makes a new log, and the folder where there is none. Fails where there is a log.</summary>
    public static LogFile Create(string folder, LogFileOptions? options = null) =>
        OpenWriter(At(folder), options, creates: true, opens: false);

    /// <summary>
    /// Opens a log for writing. What a crash left is put in order first, and <see cref="Recovery"/> tells what was done. Rotten bytes
    /// are a <see cref="DamagedDataException"/>, and nothing is changed then. The whole log is read: cut it at checkpoints.
    /// </summary>
    public static LogFile Open(string folder, LogFileOptions? options = null) =>
        OpenWriter(At(folder), options, creates: false, opens: true);

    /// <summary>Opens the log, or makes a new one where there is none.</summary>
    public static LogFile OpenOrCreate(string folder, LogFileOptions? options = null) =>
        OpenWriter(At(folder), options, creates: true, opens: true);

    /// <summary>
    /// Opens a log for reading, beside its writer or without one. Takes no lock, writes nothing, and works on a read-only file system.
    /// It sees what the writer has handed to the system: at a sync, and otherwise 128 KiB at a time.
    /// </summary>
    public static LogFile OpenRead(string folder, LogFileOptions? options = null)
    {
        LogFolder there = At(folder);
        RequireFolder(there);
        return new(there, options ?? LogFileOptions.Default);
    }

    /// <summary>
    /// Copies the sound frames of a damaged log into a new one, in their order, and tells which places were lost. Their positions change.
    /// What has the name of a file of the log and is none, such as a pipe or a link to nothing, is passed over.
    /// </summary>
    public static LogSalvage Salvage(string damagedFolder, string newFolder, LogFileOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(newFolder);
        using LogFolder damaged = At(damagedFolder);
        RequireFolder(damaged);
        try
        {
            return LogSalvager.Run(damaged, () => OpenWriter(new(newFolder, damaged), options, creates: true, opens: false));
        }
        catch (IOException e) when (e.HResult is Errno.EMFILE or Errno.ENFILE)
        {
            throw IoErrors.Of(e, damaged.Path, "salvage the log") ?? e;
        }
    }

    /// <summary>
    /// A random number that the log got when it was made, and keeps. An index keeps it beside its checkpoint: the positions of another log
    /// in the same folder mean nothing to it.
    /// </summary>
    public ulong Id => Segments.Id;

    /// <summary>Where the log is.</summary>
    public string FolderPath => Segments.Folder.Path;

    /// <summary>What opening found and did.</summary>
    public LogRecovery Recovery { get; }

    /// <summary>No frame lies before it.</summary>
    public long Start => Segments.Start;

    /// <summary>The end of the last frame: all were appended before it.</summary>
    public long End => _end.End;

    /// <summary>
    /// What lies before it is on the disk, as far as is known here. Opening a log to write syncs what a writer that was killed left: it is
    /// <see cref="End"/> then.
    /// </summary>
    public long SyncedEnd => _end.SyncedEnd;

    internal LogSegments Segments { get; }

    /// <summary>
    /// Appends a payload and returns its position, for <see cref="Read"/>. It is in memory, or in the system's: <see cref="Sync"/>
    /// makes it last. An exception leaves the log as it was.
    /// </summary>
    public long Append(ReadOnlySpan<byte> payload) => Writer().Append(payload);

    /// <inheritdoc cref="Append(ReadOnlySpan{byte})"/>
    /// <remarks>Several segments are copied into one rented array first, which takes as much memory as they have.</remarks>
    public long Append(in ReadOnlySequence<byte> payload)
    {
        // The code that hands out the memory may call anything, this log too. It has run before the log's own begins.
        if (payload.IsSingleSegment) return Append(payload.FirstSpan);
        if (payload.Length > LogFrame.MaxPayload) LogErrors.ThrowTooLong(payload.Length);
        byte[] whole = ArrayPool<byte>.Shared.Rent((int)payload.Length);
        try
        {
            payload.CopyTo(whole);
            return Append(whole.AsSpan(0, (int)payload.Length));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(whole);
        }
    }

    /// <inheritdoc cref="Append(ReadOnlySpan{byte})"/>
    public long Append<T>(in T value) where T : IEncodable<T>, allows ref struct
    {
        SegmentList encoded = t_encoded ?? new();
        // Taken meanwhile: the value's own code may append to a log too.
        t_encoded = null;
        try
        {
            encoded.Append(in value);
            return Append(encoded.AsSequence());
        }
        finally
        {
            encoded.Clear();
            t_encoded = encoded;
        }
    }

    /// <summary>
    /// Returns when all that was appended before is on the disk. Callers that wait together share one sync. A sync that fails is never
    /// tried again: the log writes no more, and says <see cref="MappedFileReason.Poisoned"/>.
    /// </summary>
    public void Sync() => Writer().SyncAll();

    /// <summary>The same, without a thread that waits. A cancelled wait leaves the sync to the others.</summary>
    public ValueTask SyncAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        // The very task that the sync ends: code that follows it in here would need a thread of the pool, and all may wait for the log.
        return new(Writer().SyncAllAsync().WaitAsync(cancellationToken));
    }

    /// <summary>
    /// The payload at a position that <see cref="Append(ReadOnlySpan{byte})"/> returned: mapped memory, checked at every call. It is
    /// valid as long as the log is open and <see cref="CutBefore"/> has not passed it. After that it reads zeros, until the process has
    /// ended 16,384 more maps of files.
    /// </summary>
    public ReadOnlySpan<byte> Read(long position)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        long written = _end.Written;
        if ((ulong)position >= (ulong)written && Reach(position, ref written) is { } waiting) return ReadWaiting(waiting, position);
        if (!Segments.TryRead(Segments.Find(position), position, written, out LogFrame frame, out ReadOnlySpan<byte> payload)
            || frame.Length < 0) NoPayload(position);
        return payload;
    }

    /// <summary>
    /// The frames from a position on, to the end that the log has when the loop begins; others may append meanwhile. The position is one
    /// of a frame, or where one ended. What lies before <see cref="Start"/> begins there.
    /// </summary>
    /// <param name="position">Where to begin.</param>
    /// <param name="onlySynced">Whether to end at <see cref="SyncedEnd"/>: what is not on the disk yet may be lost with the power.</param>
    /// <exception cref="ArgumentOutOfRangeException">The log ends before the position: whoever kept it is ahead of the log, as an index
    /// that was saved with frames that were not on the disk yet.</exception>
    public LogEntries ReadFrom(long position = 0, bool onlySynced = false)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        // An index that is ahead of its log would otherwise pass over what is appended next.
        if (position > End) _end.Advance();
        if (position > End) LogErrors.ThrowBehindTheEnd(position, End);
        return new(this, position, onlySynced);
    }

    /// <summary>
    /// Waits until there is a frame at the position or after it. The log that writes is told by its appends and syncs; one that was opened
    /// for reading looks every 10 ms.
    /// </summary>
    /// <param name="position">Where a frame ended, or will begin.</param>
    /// <param name="onlySynced">
    /// Whether to wait until the frame is on the disk, for a loop over <see cref="ReadFrom"/> with the same word. One that was opened for
    /// reading learns that from what the writer's sync leaves, and never of a writer with <see cref="Durability.ProcessCrash"/>.
    /// </param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was ended.</exception>
    /// <exception cref="ObjectDisposedException">This log was disposed.</exception>
    public async ValueTask TailAsync(long position, bool onlySynced = false, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        cancellationToken.ThrowIfCancellationRequested();
        await _end.WaitForMoreAsync(Math.Max(position, Start), onlySynced, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Drops the files that lie before the position, a crash at any moment notwithstanding. What lies before it in its own file stays.
    /// What is appended before it is synced first.
    /// </summary>
    public void CutBefore(long position)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        Writer().CutBefore(position);
    }

    /// <summary>Reads all frames, and throws a <see cref="DamagedDataException"/> at the first damage.</summary>
    public void Verify()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _ = Reach(onlySynced: false, out _);
        long written = _end.Written;
        while (LogScan.Of(Segments) is var scan && scan.End < written)
        {
            // A file that is closed cannot be read.
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (scan.End >= Start) throw LogErrors.Rotten(FolderPath, scan.End);
        }
    }

    /// <summary>
    /// Syncs and closes the log. Where that sync fails nobody is told: call <see cref="Sync"/> for a promise. Spans that were handed out
    /// stay readable as long as something refers to the log.
    /// </summary>
    public void Dispose()
    {
        _isDisposed = true;
        _end.Close();
        Segments.Close();
        Segments.Folder.Dispose();
    }

    internal long Reach(bool onlySynced, out LogWaiting? waiting) => _end.Reach(onlySynced, out waiting);

    private static LogFolder At(string folder, [CallerArgumentExpression(nameof(folder))] string? name = null)
    {
        ArgumentNullException.ThrowIfNull(folder, name);
        return new(folder);
    }

    private static LogFile OpenWriter(LogFolder folder, LogFileOptions? options, bool creates, bool opens)
    {
        if (!creates) RequireFolder(folder);
        folder.Create();
        return new(folder, options ?? LogFileOptions.Default, creates, opens);
    }

    private static void Lock(ILogFolder folder, TimeSpan timeout)
    {
        const int betweenLooks = 5;
        for (Deadline deadline = Deadline.After(timeout); !folder.TryLock(); Thread.Sleep(betweenLooks))
            if (deadline.HasPassed) throw LogErrors.Locked(folder.Path);
    }

    // Files come and go beside a writer: what is gone between listing and opening was cut, and the list is made anew.
    private void LoadBesideWriter()
    {
        const int tries = 100;
        for (int attempt = 0; ; attempt++)
        {
            try
            {
                Segments.Load(writes: false);
                if (Segments.All.Length == 0) throw LogErrors.NoLog(FolderPath);
                return;
            }
            catch (FileNotFoundException) when (attempt < tries && Segments.Folder.List().Length > 0) { }
        }
    }

    private static void RequireFolder(LogFolder folder)
    {
        if (File.Exists(folder.Path)) throw LogErrors.FileForFolder(folder.Path);
        if (!Directory.Exists(folder.Path))
            throw new DirectoryNotFoundException($"There is no folder {folder.Path}. Give that of a log, or make one by Create.");
    }

    // What the system has by now, or what waits for it and has the position.
    private LogWaiting? Reach(long position, ref long written)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(position);
        if (position >= Reach(onlySynced: false, out LogWaiting? waiting))
        {
            if (waiting is null || position >= End) LogErrors.ThrowNotYet(position, End);
            return waiting;
        }
        written = _end.Written;
        return null;
    }

    private ReadOnlySpan<byte> ReadWaiting(LogWaiting waiting, long position)
    {
        if (!waiting.TryRead(position, out LogFrame frame, out ReadOnlySpan<byte> payload) || frame.Length < 0) NoPayload(position);
        return payload;
    }

    private void NoPayload(long position)
    {
        if (position >= End) LogErrors.ThrowNotYet(position, End);
        LogErrors.ThrowNoFrame(Segments, position);
    }

    private LogWriter Writer()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return _writer ?? throw LogErrors.ReadOnly(FolderPath);
    }
}
