using System.IO.MemoryMappedFiles;
using MemPrims.Records.Storage;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Tool.Files;

// A file in memory, for reading. Nobody may cut it meanwhile; the unreadable ends the process, unless Require finds it first.
internal sealed unsafe class MappedBytes : IDisposable
{
    private const int BytesAtOnce = 1 << 20;

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

    // Reads all that is no hole by calls of the system, which leaves it in memory; throws where the disk cannot.
    public void RequireAll()
    {
        foreach ((long start, long end) in _storage.DataParts()) Require(start, end - start);
    }

    // The same for a part, with its holes.
    public void Require(long offset, long length)
    {
        byte[] read = new byte[Math.Min(length, BytesAtOnce)];
        for (long end = offset + length; offset < end; offset += read.Length)
        {
            try
            {
                _ = _storage.Read(offset, read.AsSpan(0, (int)Math.Min(read.Length, end - offset)));
            }
            catch (IOException e)
            {
                throw new DamagedDataException($"{_storage.Path}: the disk cannot read all of the {read.Length} bytes from {offset} on "
                    + $"({e.Message}). Restore the file.", offset);
            }
        }
    }

    public void Dispose()
    {
        Handle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
        _storage.Dispose();
    }
}
