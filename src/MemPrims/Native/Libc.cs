namespace MemPrims;

/// <summary>Provisional.</summary>
public static unsafe class Libc
{
    /// <summary>Provisional.</summary>
    public static bool IsAvailable => true;
    /// <summary>Provisional.</summary>
    public static int Compare(byte* left, byte* right, nint length) => Block.Compare(left, right, length);
    /// <summary>Provisional.</summary>
    public static void Copy(byte* destination, byte* source, nint length) => Block.Copy(destination, source, length);
}
