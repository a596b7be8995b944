using System.IO.MemoryMappedFiles;

namespace MemPrims.Records.Storage;

// A piece of mapped memory. Readers hold it, and the garbage collector releases it after the last one. Unmap lets go of the file before.
internal sealed unsafe class MappedRegion(byte* start, long length, object owner)
{
    public byte* Start { get; } = start;

    public long Length { get; } = length;

    // A part of a file as the runtime maps it.
    public static MappedRegion Of(SafeFileHandle file, long offset, long length, MemoryMappedFileAccess access)
    {
        using MemoryMappedFile map = MemoryMappedFile.CreateFromFile(file, null, 0, access, HandleInheritability.None, leaveOpen: true);
        MemoryMappedViewAccessor view = map.CreateViewAccessor(offset, length, access);
        SafeMemoryMappedViewHandle handle = view.SafeMemoryMappedViewHandle;
        // Not AcquirePointer: the reference that it counts would keep the finalizer from ever unmapping.
        return new((byte*)handle.DangerousGetHandle() + view.PointerOffset, length, handle);
    }

    public void Unmap() => SystemFile.Here.EndMap(Owner);

    public object Owner { get; } = owner;
}
