namespace MemPrims.Channels;

/// <summary>
/// A piece of memory that two processes have mapped: for data that is read in place, where a message would be a copy. One process makes it
/// and sends <see cref="Handle"/> with a message; the other one maps what it received, for reading unless it asks.
/// </summary>
/// <remarks>
/// <para>Its length never changes: the file is sealed, and all of it has memory from the start. So no access fails while it is
/// mapped.</para>
/// <para>Any number of threads may use it, under rules of their own: nothing here orders a write in one process before a read in the
/// other. A message does: what was written before a send is there after the receive.</para>
/// <para><b>Lifetime.</b> The spans are valid until <see cref="Dispose"/>, or until the collector finds the object unused: hold it, best
/// by
/// <c>using</c>, for as long as you use one. <b>Trust.</b> The maker can change what you read, while you read it. One that lets others
/// write can also take memory back: zeros are read there then, and the memory that the kernel gives for them counts as yours.</para>
/// </remarks>
public sealed unsafe class SharedMemory : IDisposable
{
    private readonly Mapping _mapping;
    private readonly SafeFileHandle _file;

    private SharedMemory(SafeFileHandle file, Mapping mapping, int length, bool isWritable) =>
        (_file, _mapping, Length, IsWritable) = (file, mapping, length, isWritable);

    /// <summary>How many bytes it has.</summary>
    public int Length { get; }

    /// <summary>Whether this process may write to it.</summary>
    public bool IsWritable { get; }

    /// <summary>The descriptor of the memory, to be sent. It is closed with this object.</summary>
    public SafeHandle Handle => _file;

    /// <summary>The bytes, for reading.</summary>
    /// <exception cref="ObjectDisposedException">It was disposed.</exception>
    public ReadOnlySpan<byte> Span => new(Start, Length);

    /// <summary>The bytes, for writing.</summary>
    /// <exception cref="ObjectDisposedException">It was disposed.</exception>
    /// <exception cref="InvalidOperationException">It was mapped for reading.</exception>
    public Span<byte> WritableSpan => IsWritable ? new(Start, Length)
        : throw new InvalidOperationException("This memory was mapped for reading: open it with writable: true.");

    private byte* Start
    {
        get
        {
            ObjectDisposedException.ThrowIf(_mapping.IsClosed, this);
            return _mapping.Start;
        }
    }

    /// <summary>Makes memory that is all zero, and maps it for writing.</summary>
    /// <param name="length">How many bytes: 1 to 2,147,483,591.</param>
    /// <param name="othersMayWrite">Whether a process that receives the handle can map it for writing. If not, the kernel refuses
    /// that.</param>
    /// <exception cref="IOException">The system has no memory for it.</exception>
    public static SharedMemory Create(int length, bool othersMayWrite = false)
    {
        Platform.Require();
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, Array.MaxLength);
        int number = MemoryFile.TryCreate("memprims-shared");
        if (number < 0) throw Errno.Failure("No memory file could be made", Errno.Last);
        SafeFileHandle file = new(number, ownsHandle: true);
        try
        {
            // Memory for all of it now: later the lack of it would be a signal that ends the process.
            if (Posix.Ftruncate(number, length) != 0 || !MemoryFile.TryAllocate(number, 0, length))
                throw Errno.Failure($"There is no memory for {length} shared bytes", Errno.Last);
            Mapping mapping = new(number, length, Posix.PROT_READ | Posix.PROT_WRITE);
            int seals = othersMayWrite ? MemoryFile.KeepsLength : MemoryFile.ReadOnlyForOthers;
            if (Posix.Fcntl(number, Posix.F_ADD_SEALS, seals) == 0) return new(file, mapping, length, isWritable: true);
            mapping.Dispose();
            throw Errno.Failure("Shared memory could not be sealed", Errno.Last);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Maps memory whose handle was received, see <see cref="IpcMessage.TakeHandle"/>.</summary>
    /// <param name="handle">The handle. This object owns it from here on, unless this throws.</param>
    /// <param name="writable">Whether to map it for writing too.</param>
    /// <exception cref="ArgumentException">It is no sealed memory file, so its length could change under a reader; or not all of it has
    /// memory, so a reader would have to give it.</exception>
    /// <exception cref="IOException">It may not be mapped so: its maker did not say <c>othersMayWrite</c>.</exception>
    public static SharedMemory Open(SafeHandle handle, bool writable = false)
    {
        ArgumentNullException.ThrowIfNull(handle);
        Platform.Require();
        SafeFileHandle file = handle as SafeFileHandle
            ?? throw new ArgumentException("Shared memory is opened from a SafeFileHandle, as TakeHandle gives it.", nameof(handle));
        using Hold hold = Hold.Of(file);
        int number = (int)file.DangerousGetHandle();
        // First the seals, then the length that they keep: the maker may change it until it seals.
        bool isSealed = (MemoryFile.Seals(number) & MemoryFile.KeepsLength) == MemoryFile.KeepsLength;
        nint length = isSealed ? Posix.Lseek(number, 0, Posix.SEEK_END) : 0;
        if (length <= 0 || length > Array.MaxLength || FileIdentity.SpaceOf(number) < length)
            throw new ArgumentException("This handle is no sealed memory file of 1 to 2,147,483,591 bytes that has all its memory.",
                nameof(handle));
        return new(file, new(number, length, writable ? Posix.PROT_READ | Posix.PROT_WRITE : Posix.PROT_READ), (int)length, writable);
    }

    /// <summary>Unmaps the memory and closes the handle. Other processes keep theirs.</summary>
    public void Dispose()
    {
        _mapping.Dispose();
        _file.Dispose();
    }

    private sealed class Mapping : SafeHandleMinusOneIsInvalid
    {
        private readonly nint _length;

        public Mapping(int file, nint length, int protection) : base(ownsHandle: true)
        {
            _length = length;
            byte* start = Posix.Mmap(null, length, protection, Posix.MAP_SHARED, file, 0);
            if ((nint)start == -1) throw Errno.Failure($"{length} bytes of shared memory could not be mapped" +
                ((protection & Posix.PROT_WRITE) != 0 ? " for writing" : ""), Errno.Last);
            SetHandle((nint)start);
        }

        public byte* Start => (byte*)handle;

        protected override bool ReleaseHandle() => Posix.Munmap((byte*)handle, _length) == 0;
    }
}
