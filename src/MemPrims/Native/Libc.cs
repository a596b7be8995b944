namespace MemPrims;

/// <summary>
/// memcmp and memmove of the platform's C library. Where no C library is found, the runtime's own routines do the same work.
///
/// Every call makes the transition that lets the garbage collector run meanwhile: 0.5–2 ns, measured on Zen 5. Leaving it out would be
/// faster for small blocks. But the memory may be a mapped file, and a page that has to come from the disk would then hold up a
/// collection, and with it every thread.
///
/// Some C libraries read a byte that differs a second time. When another thread changes the block meanwhile, their memcmp may say 0 of
/// blocks that were never equal. <see cref="Block"/> does not: on the libc backend it looks again when memcmp says 0.
/// </summary>
public static unsafe class Libc
{
    private static readonly nint s_library = Load();

    // One routine for both kinds of copy: memmove is right for every overlap, and glibc's memcpy is the same code.
    private static readonly nint s_compare = Find("memcmp"), s_copy = Find("memmove");

    /// <summary>Whether the C library was found on this platform.</summary>
    public static bool IsAvailable => s_compare != 0 && s_copy != 0;

    // The names to try on this platform, in order.
    internal static string[] Names =>
        OperatingSystem.IsWindows() ? ["ucrtbase.dll"]
        : OperatingSystem.IsMacOS() ? ["libSystem.dylib"]
        : ["libc.so.6", "libc", "libc.so"];

    /// <summary>Orders two blocks by memcmp, as <see cref="Block.Compare(byte*, byte*, nint)"/> does.</summary>
    /// <exception cref="NullReferenceException">A block is null and the length is not 0.</exception>
    /// <inheritdoc cref="Block.Compare(byte*, byte*, nint)" path="/param|/returns|/exception|/remarks"/>
    public static int Compare(byte* left, byte* right, nint length)
    {
        if (length < 0) Throw.NegativeLength(length);
        if (!IsAvailable) return CompareByRuntime(left, right, length);
        if (length == 0) return 0;
        Touch(left);
        Touch(right);
        return ((delegate* unmanaged[Cdecl]<byte*, byte*, nint, int>)s_compare)(left, right, length);
    }

    /// <summary>Copies a block by memmove.</summary>
    /// <exception cref="NullReferenceException">A block is null and the length is not 0; nothing was written.</exception>
    /// <inheritdoc cref="Block.Copy(byte*, byte*, nint)" path="/param|/exception|/remarks"/>
    public static void Copy(byte* destination, byte* source, nint length)
    {
        if (length < 0) Throw.NegativeLength(length);
        if (length == 0) return;
        Touch(source);
        Touch(destination);
        if (destination == source) return;
        if (!IsAvailable) System.Buffer.MemoryCopy(source, destination, length, length);
        else ((delegate* unmanaged[Cdecl]<byte*, byte*, nint, byte*>)s_copy)(destination, source, length);
    }

    // A fault inside libc ends the process. The same fault in managed code is an exception, so a null pointer is met here first.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Touch(byte* block) => _ = Volatile.Read(ref *block);

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static int CompareByRuntime(byte* left, byte* right, nint length)
    {
        while (length > 0)
        {
            int part = (int)Math.Min(length, int.MaxValue);
            int order = new ReadOnlySpan<byte>(left, part).SequenceCompareTo(new ReadOnlySpan<byte>(right, part));
            if (order != 0) return order;
            left += part;
            right += part;
            length -= part;
        }
        return 0;
    }

    // It is never unloaded: the process uses it anyway.
    [UnconditionalSuppressMessage("SingleFile", "IL3000", Justification = "Names of the system's libraries, not paths of assemblies.")]
    private static nint Load()
    {
        foreach (string name in Names)
            if (NativeLibrary.TryLoad(name, out nint library)) return library;
        return 0;
    }

    private static nint Find(string routine) =>
        s_library != 0 && NativeLibrary.TryGetExport(s_library, routine, out nint found) ? found : 0;
}
