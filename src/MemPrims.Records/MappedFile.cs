namespace MemPrims.Records;

/// <summary>
/// A file of records of one type, numbered 0, 1, 2 …, read in place through a memory map and written in transactions that survive <see
/// cref="Durability">a crash</see>. Any number of threads and processes read without locks and see whole commits only; one writes.
/// <c>Read(id, view => …)</c> and the other calls that hand out a view are generated next to the record type.
/// </summary>
/// <remarks>
/// The file must not be cut off or written by other programs while it is open: a mapped page whose file is shorter ends the process, and
/// so does one that the disk cannot read. <see cref="Verify"/> finds such pages and lives. An index from keys to ids is not kept here. A
/// synced commit into a file that was deleted or replaced meanwhile is refused. Any number of threads may call anything. <see
/// cref="Dispose"/> beside another call waits for a commit that has begun; the call ends well or with an <see
/// cref="ObjectDisposedException"/>. Files that nobody has open are upgraded, compacted and salvaged by <see cref="MappedFiles"/>.
/// </remarks>
public sealed class MappedFile<T> : IDisposable where T : IMappedRecord<T>, allows ref struct
{
    private readonly RecordFile _file;
    private readonly RecordWriter _writer;

    internal MappedFile(IStorage storage, MappedFileOptions? options = null)
    {
        _file = RecordFile.Open(storage, T.Layout, options ?? MappedFileOptions.Default);
        _writer = new(_file);
    }

    /// <summary>
    /// Makes a new file without records, and opens it. Fails when there is one of that name. Until the file is whole it has another name,
    /// which begins as this one and ends in <c>.new</c>.
    /// </summary>
    public static MappedFile<T> Create(string path, MappedFileOptions? options = null)
    {
        EmptyFile.Make(path, T.Layout, options ?? MappedFileOptions.Default);
        return Open(path, options);
    }

    /// <summary>
    /// Opens a file for reading and writing. Nothing is written or locked before the first <see cref="BeginWrite"/>. A file of another
    /// kind is a <see cref="MappedFileException"/>; where there is no file, it is a <see cref="FileNotFoundException"/>.
    /// </summary>
    public static MappedFile<T> Open(string path, MappedFileOptions? options = null) =>
        new(FileStorage.Open(path, FileMode.Open, FileAccess.ReadWrite, options ?? MappedFileOptions.Default), options);

    /// <summary>
    /// Opens the file, or makes a new one where there is none, or a link to none. Others may do the same at the same time.
    /// </summary>
    public static MappedFile<T> OpenOrCreate(string path, MappedFileOptions? options = null)
    {
        // Around again when another process makes the file, or deletes it, in between.
        const int mostAttempts = 10;
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                string full = SystemPath.Full(path);
                if (!SystemFile.Here.IsThere(full))
                    EmptyFile.Make(SystemPath.EndOfLinks(full), T.Layout, options ?? MappedFileOptions.Default);
                return Open(full, options);
            }
            catch (IOException e) when (attempt < mostAttempts && e is FileNotFoundException or { HResult: Errno.EEXIST }) { }
        }
    }

    /// <summary>Opens a file for reading only. Works on a read-only file system, takes no lock and leaves no trace.</summary>
    public static MappedFile<T> OpenRead(string path, MappedFileOptions? options = null) =>
        new(FileStorage.Open(path, FileMode.Open, FileAccess.Read), options);

    /// <summary>Where the file is.</summary>
    public string FilePath => _file.Path;

    /// <summary>How many records there are, free ones among them: ids are below it.</summary>
    public int Count => _file.Latest().Count;

    /// <summary>How many of them are free.</summary>
    public int FreeCount => _file.Latest().FreeCount;

    /// <summary>Whether a record was freed. Such a record reads as a new one does, with defaults, and scans pass over it.</summary>
    public bool IsFree(long id)
    {
        FileState state = _file.Latest();
        for (ReadRetries retries = new(_file); ; state = retries.Renew())
            if (state.IsFree(id) is { } free && state.Stands()) return free;
    }

    /// <summary>The number of the last commit, for a reader that wants to know whether anything changed.</summary>
    public long Transaction => (long)_file.Latest().Transaction;

    /// <summary>
    /// Starts a transaction. Where another thread has one open, this waits for its end; where another <see cref="MappedFile{T}"/>, in this
    /// process or another, is the file's writer, this waits until that one is disposed. After <see
    /// cref="MappedFileOptions.WriterTimeout"/> it fails with <see cref="MappedFileReason.Locked"/>. The first call makes this the file's
    /// one writer until it is disposed. A second call by the same code, on the same thread and without an <c>await</c> between, fails at
    /// once. A transaction may be held over an <c>await</c>; others wait that long.
    /// </summary>
    public WriteTransaction<T> BeginWrite() => new(_writer, _writer.Begin());

    /// <summary>
    /// The same for asynchronous code: no thread waits for the turn. A second call before the first transaction ended waits, and fails
    /// after <see cref="MappedFileOptions.WriterTimeout"/>.
    /// </summary>
    public async ValueTask<WriteTransaction<T>> BeginWriteAsync(CancellationToken cancellationToken = default) =>
        new(_writer, await _writer.BeginAsync(cancellationToken).ConfigureAwait(false));

    /// <summary>
    /// Holds the file as it is now, for a scan or several reads that belong together. Until it is disposed the second commit from now
    /// waits, and fails with <see cref="MappedFileReason.Pinned"/> after <see cref="MappedFileOptions.PinTimeout"/>; at once if the
    /// code that commits holds the pin itself.
    /// </summary>
    public PinnedSnapshot<T> Pin() => new(_file.Pins.Take());

    /// <summary>
    /// Adds to a field of one record in a transaction of its own, and returns the new value. Throws when that overflows.
    /// </summary>
    public TValue Increment<TValue>(long id, RecordField<T, TValue> field, TValue by) where TValue : unmanaged, IBinaryInteger<TValue>
    {
        using WriteTransaction<T> transaction = BeginWrite();
        TValue value = transaction.Increment(id, field, by);
        transaction.Commit();
        return value;
    }

    /// <summary>Adds 1 to one field of one record in a transaction of its own, and returns the new value.</summary>
    public TValue Increment<TValue>(long id, RecordField<T, TValue> field) where TValue : unmanaged, IBinaryInteger<TValue> =>
        Increment(id, field, TValue.One);

    /// <summary>Changes one record in a transaction of its own. An exception out of <paramref name="change"/> drops the change.</summary>
    public void Update(long id, Action<T> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        Update(id, change, static (record, change) => change(record));
    }

    /// <summary>The same with an argument, so that the function need not capture it.</summary>
    public void Update<TArgument>(long id, TArgument argument, Action<T, TArgument> change) where TArgument : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(change);
        using WriteTransaction<T> transaction = BeginWrite();
        change(transaction[id], argument);
        transaction.Commit();
    }

    /// <summary>
    /// Writes a copy of the file as it is now into a new file, under a pin, while the writer goes on; synced when it returns. Fails where
    /// there is a file of that name. The copy has the file's owner, mode and ACL, as far as the system lets this process give them.
    /// </summary>
    public void CopyTo(string path)
    {
        using Pin pin = _file.Pins.Take();
        Backup.Write(pin.State, _file.Storage, path);
    }

    /// <summary>
    /// Checks every page and record of the file as it is now, under a pin, and throws a <see cref="MappedFileException"/> at the first
    /// damage; a page that the disk cannot read is damage. What the system's page cache shows is checked: a disk that changed behind it
    /// shows only after the cache was dropped.
    /// </summary>
    public void Verify(IProgress<VerifyProgress>? progress = null, CancellationToken cancellationToken = default) =>
        Verifier.Run(_file, progress, cancellationToken);

    /// <summary>What the generated <c>Read</c> calls.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public unsafe TResult ReadView<TView, TResult>(long id, Func<TView, TResult> read) where TView : IRecordView<TView>, allows ref struct
    {
        // No loop, for the usual case that no writer passes by: in a loop the compiler keeps all variables on the stack. It does so
        // anyway with those that the filters use, so the filters have copies.
        FileState state = _file.Current, filtered = state;
        Func<TView, TResult> asked = read;
        byte* record = state.Locate(id);
        if (record == null) return ReadAgain<TView, Func<TView, TResult>, TResult>(id, read, static (view, read) => read(view));
        TResult result;
        try
        {
            result = read(TView.Over(new(record, state)));
        }
        // It is not checked before the call, because that is the hot path.
        catch (NullReferenceException) when (asked is null)
        {
            throw new ArgumentNullException(nameof(read));
        }
        catch when (!filtered.Stands())
        {
            return ReadAgain<TView, Func<TView, TResult>, TResult>(id, read, static (view, read) => read(view));
        }
        return state.Stands() ? result : ReadAgain<TView, Func<TView, TResult>, TResult>(id, read, static (view, read) => read(view));
    }

    /// <summary>What the generated <c>Read</c> with an argument calls.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public unsafe TResult ReadView<TView, TArgument, TResult>(long id, TArgument argument, Func<TView, TArgument, TResult> read)
        where TView : IRecordView<TView>, allows ref struct
        where TArgument : allows ref struct
    {
        FileState state = _file.Current;
        byte* record = state.Locate(id);
        if (record == null) return ReadAgain(id, argument, read);
        TResult result;
        try
        {
            result = read(TView.Over(new(record, state)), argument);
        }
        catch (NullReferenceException) when (read is null)
        {
            throw new ArgumentNullException(nameof(read));
        }
        catch when (!state.Stands())
        {
            return ReadAgain(id, argument, read);
        }
        return state.Stands() ? result : ReadAgain(id, argument, read);
    }

    /// <summary>
    /// Closes the file. A commit that runs on another thread ends first, and is kept; a transaction that is open and not being committed
    /// is dropped, and whoever waits is turned away, a commit that waits for a pin after a tenth of a second. Pins that were handed out
    /// stay readable; all other calls throw <see cref="ObjectDisposedException"/> afterwards.
    /// </summary>
    public void Dispose()
    {
        _writer.Close();
        _file.Dispose();
    }

    // The file has moved on: from its newest state, until one holds for as long as the function runs, or its retries end.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe TResult ReadAgain<TView, TArgument, TResult>(long id, TArgument argument, Func<TView, TArgument, TResult> read)
        where TView : IRecordView<TView>, allows ref struct
        where TArgument : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(read);
        ReadRetries retries = new(_file);
        while (true)
        {
            FileState state = retries.Renew();
            byte* record = state.Locate(id);
            if (record == null) continue;
            TResult result;
            try
            {
                result = read(TView.Over(new(record, state)), argument);
            }
            catch when (!state.Stands())
            {
                continue;
            }
            if (state.Stands()) return result;
        }
    }

    internal static MappedFile<T> Create(IStorage storage, MappedFileOptions options)
    {
        EmptyFile.Write(storage, T.Layout, (uint)options.MetaSlotBytes);
        return new(storage, options);
    }
}
