namespace MemPrims;

// Where Backend.UsesLibc is set: the detours of Compare and Copy through libc's memcmp and memmove. Every other routine of Block keeps to
// the kernels.
public static unsafe partial class Block
{
    // memcmp reads a byte that differs a second time. When another thread has changed it meanwhile, memcmp says 0 of blocks that were
    // never equal. So a 0 is not believed: the kernels of the tier look again.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CompareByLibc(ref byte left, ref byte right, nint length, int same)
    {
        fixed (byte* l = &left, r = &right)
        {
            int order = Libc.Compare(l, r, length);
            return order != 0 ? order : InOrder<WhichIsGreater, int>(ref left, ref right, length, same);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CopyByLibc(ref byte destination, ref byte source, nint length)
    {
        fixed (byte* d = &destination, s = &source) Libc.Copy(d, s, length);
    }
}
