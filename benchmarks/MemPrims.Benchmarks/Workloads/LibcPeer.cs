using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Workloads;

/// <summary>libc as a user would bind it, with and without the transition that lets the garbage collector run.</summary>
public static unsafe partial class LibcPeer
{
    [DllImport("libc", EntryPoint = "memcmp"), SuppressGCTransition]
    public static extern int Compare(byte* left, byte* right, nint length);

    [DllImport("libc", EntryPoint = "memcmp")]
    public static extern int CompareWithTransition(byte* left, byte* right, nint length);

    [DllImport("libc", EntryPoint = "memmove"), SuppressGCTransition]
    public static extern byte* Copy(byte* destination, byte* source, nint length);

    [DllImport("libc", EntryPoint = "memmove")]
    public static extern byte* CopyWithTransition(byte* destination, byte* source, nint length);
}
