using System.IO.MemoryMappedFiles;
using MemPrims.Tool.Output;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Tool.Files;

/// <summary>A file in memory, for reading. Nobody may make it shorter meanwhile.</summary>
internal sealed unsafe class MappedBytes : IDisposable
{
    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;

    public MappedBytes(string path)
    {
        FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.Read);
        Length = stream.Length;
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

    public void Dispose()
    {
        Handle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
    }
}
