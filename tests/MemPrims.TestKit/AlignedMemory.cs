using System.Runtime.InteropServices;

namespace MemPrims.TestKit;

// Zeroed memory that starts at a multiple of 4096, so that an offset into it is an alignment.
public sealed unsafe class AlignedMemory : IDisposable
{
    public AlignedMemory(nint length)
    {
        Length = length;
        Start = (byte*)NativeMemory.AlignedAlloc((nuint)length, 4096);
        NativeMemory.Clear(Start, (nuint)length);
    }

    public byte* Start { get; private set; }

    public nint Length { get; }

    public void Dispose()
    {
        NativeMemory.AlignedFree(Start);
        Start = null;
    }
}
