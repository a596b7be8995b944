namespace MemPrims.DropIn;

/// <summary>Provisional: forwards to System.Buffer.</summary>
public static unsafe class Buffer
{
    /// <summary>Provisional.</summary>
    public static void Memcpy(byte* dest, byte* src, int len)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(len);
        System.Buffer.MemoryCopy(src, dest, len, len);
    }
    /// <summary>Provisional.</summary>
    public static void Memmove(byte* dest, byte* src, nuint len) => System.Buffer.MemoryCopy(src, dest, len, len);
    /// <summary>Provisional.</summary>
    public static void BlockCopy(Array src, int srcOffset, Array dst, int dstOffset, int count) => System.Buffer.BlockCopy(src, srcOffset, dst, dstOffset, count);
    /// <summary>Provisional.</summary>
    public static int ByteLength(Array array) => System.Buffer.ByteLength(array);
    /// <summary>Provisional.</summary>
    public static byte GetByte(Array array, int index) => System.Buffer.GetByte(array, index);
    /// <summary>Provisional.</summary>
    public static void SetByte(Array array, int index, byte value) => System.Buffer.SetByte(array, index, value);
    /// <summary>Provisional.</summary>
    public static void MemoryCopy(void* source, void* destination, long destinationSizeInBytes, long sourceBytesToCopy) => System.Buffer.MemoryCopy(source, destination, destinationSizeInBytes, sourceBytesToCopy);
    /// <summary>Provisional.</summary>
    public static void MemoryCopy(void* source, void* destination, ulong destinationSizeInBytes, ulong sourceBytesToCopy) => System.Buffer.MemoryCopy(source, destination, destinationSizeInBytes, sourceBytesToCopy);
}
