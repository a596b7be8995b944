using System.IO.MemoryMappedFiles;
using MemPrims.Records.Storage;
using MemPrims.Tool.Output;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Tool.Files;

/// <summary>
/// A file in memory, for reading. Nobody may make it shorter meanwhile; a place that the disk cannot read ends the process, unless <see
/// cref="Require"/> finds it first.
/// </summary>
internal sealed unsafe class MappedBytes : IDisposable
{
    private const int BytesAtOnce = 1 << 20;

    private readonly string _path;
    private readonly SafeFileHandle _handle;
    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;

    public MappedBytes(string path)
    {
        FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.Read);
        (_path, _handle, Length) = (path, stream.SafeFileHandle, stream.Length);
        if (Length == 0)
        {
            stream.Dispose();
            throw new UsageException($"{path} has become empty.");
        }
        _file = MemoryMappedFile.CreateFromFile(stream, null, 0, MemoryMappedFileAccess.Read, HandleInheritability.None, leaveOpen: false);
        _view = _file.CreateViewAccessor(0, 0, MemoryMappedFileAccess.Read);
        byte* start = null;
        Handle.AcquirePointer(ref start);
        Start = start + _view.PointerOffset;
    }

    public long Length { get; }

    public byte* Start { get; }

    public SafeMemoryMappedViewHandle Handle => _view.SafeMemoryMappedViewHandle;

    /// <summary>Reads all that is no hole by calls of the system, which leaves it in memory; throws where the disk cannot.</summary>
    public void RequireAll()
    {
        using FileStorage file = FileStorage.OpenAnyKind(_path, FileMode.Open, FileAccess.Read);
        foreach ((long start, long end) in file.DataParts()) Require(start, end - start);
    }

    /// <summary>The same for a part, with its holes.</summary>
    public void Require(long offset, long length)
    {
        byte[] read = new byte[Math.Min(length, BytesAtOnce)];
        for (long end = offset + length; offset < end; offset += read.Length)
        {
            try
            {
                _ = RandomAccess.Read(_handle, read.AsSpan(0, (int)Math.Min(read.Length, end - offset)), offset);
            }
            catch (IOException e)
            {
                throw new DamagedDataException($"{_path}: the disk cannot read all of the {read.Length} bytes from {offset} on "
                    + $"({e.Message}). Restore the file.", offset);
            }
        }
    }

    public void Dispose()
    {
        Handle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
    }
}
