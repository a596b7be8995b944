using System.IO.MemoryMappedFiles;
using MemPrims.Linux;
using MemPrims.Records.Storage;

namespace MemPrims.Tool.Files;

// A file in memory, for reading. Nobody may cut it meanwhile; the unreadable ends the process, unless Require finds it first.
internal sealed unsafe partial class MappedBytes : IDisposable
{
    private const int BytesAtOnce = 1 << 20;
    private const int MADV_POPULATE_READ = 22, EFAULT = 14;

    private readonly FileStorage _storage;
    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;

    public MappedBytes(string path)
    {
        SafeFileHandle handle = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.Read);
        _storage = FileStorage.Over(path, handle);
        Length = _storage.Length;
        if (Length == 0)
        {
            _storage.Dispose();
            throw new UsageException($"{path} has become empty.");
        }
        _file = MemoryMappedFile.CreateFromFile(handle, null, 0, MemoryMappedFileAccess.Read, HandleInheritability.None, leaveOpen: true);
        _view = _file.CreateViewAccessor(0, 0, MemoryMappedFileAccess.Read);
        byte* start = null;
        Handle.AcquirePointer(ref start);
        Start = start + _view.PointerOffset;
    }

    public long Length { get; }

    public byte* Start { get; }

    public SafeMemoryMappedViewHandle Handle => _view.SafeMemoryMappedViewHandle;

    // Makes all that is no hole safe to read; throws where the disk cannot read it.
    public void RequireAll()
    {
        foreach ((long start, long end) in _storage.DataParts()) Require(start, end - start);
    }

    // The same for a part, with its holes. Calls of the system read it, in whole pages of the system, as maps do.
    public void Require(long offset, long length)
    {
        long page = Environment.SystemPageSize, end = Math.Min((offset + length + page - 1) & -page, Length);
        offset &= -page;
        byte[] read = new byte[Math.Min(end - offset, BytesAtOnce)];
        for (; offset < end; offset += read.Length)
        {
            Span<byte> part = read.AsSpan(0, (int)Math.Min(read.Length, end - offset));
            try
            {
                _ = _storage.Read(offset, part);
            }
            catch (IOException e)
            {
                throw new DamagedDataException($"{_storage.Path}: the disk cannot read all of the {part.Length} bytes from {offset} on "
                    + $"({e.Message}). Restore the file.", offset);
            }
            if (OperatingSystem.IsLinux()) Settle(Start + offset, part);
        }
    }

    // That a call has read a part does not say that a map can. Linux keeps several pages as one, and maps none of them where one cannot be
    // read: on ext4 a sound page beside a bad block ended the process. And a full tmpfs has no memory for a hole. What the system cannot
    // map gets memory of its own in its place. (Systems before Linux 5.14 do not know the question, and answer with another error.)
    private static void Settle(byte* start, ReadOnlySpan<byte> read)
    {
        if (Madvise(start, read.Length, MADV_POPULATE_READ) == 0 || Marshal.GetLastPInvokeError() != EFAULT) return;
        if (Posix.Mmap(start, read.Length, Posix.PROT_READ | Posix.PROT_WRITE,
            Posix.MAP_PRIVATE | Posix.MAP_FIXED | Posix.MAP_ANONYMOUS, -1, 0) != start)
            throw new OutOfMemoryException("The system has no memory for a part of the file that it cannot map.");
        read.CopyTo(new Span<byte>(start, read.Length));
    }

    public void Dispose()
    {
        Handle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
        _storage.Dispose();
    }

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int Madvise(byte* start, nint length, int advice);
}
