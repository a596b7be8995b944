namespace MemPrims.Channels.Ring;

// Where things lie in an end's shared memory: the header, a small ring, a large ring. A channel begins with the small ring and goes over
// to the large one when the small one is full, once: a connection that carries little takes little memory. Everything begins at a multiple
// of 64 KiB, the largest page that x64 and arm64 have, so that each part can be given its memory alone.
internal readonly record struct RingLayout(int SmallBytes, int LargeBytes)
{
    public const int Alignment = 64 << 10, SmallAt = Alignment;

    // With both headers, the two small rings of a channel are 72 KiB.
    public const int UsualSmall = 32 << 10;

    // Rings of 256 KiB to 4 MiB differ by less than one of them does from run to run.
    public const int UsualLarge = 1 << 20;

    public static RingLayout Usual => new(UsualSmall, UsualLarge);

    public nint LargeAt => SmallAt + (SmallBytes + Alignment - 1 & -Alignment);

    public nint Length => LargeAt + LargeBytes;

    // Whether a peer may have it: reading a hole of its rings gives them memory, which is then this process's.
    public bool IsSound => IsRing(SmallBytes, UsualSmall) && IsRing(LargeBytes, UsualLarge);

    private static bool IsRing(int bytes, int most) => bytes >= 4096 && bytes <= most && int.IsPow2(bytes);
}
