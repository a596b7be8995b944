namespace MemPrims.Sets;

// How a cell is read.
internal unsafe interface ICell
{
    static abstract int Bytes { get; }

    static abstract uint Load(byte* cell);
}

internal readonly unsafe struct OneByte : ICell
{
    public static int Bytes => 1;

    public static uint Load(byte* cell) => *cell;
}

internal readonly unsafe struct TwoBytes : ICell
{
    public static int Bytes => 2;

    public static uint Load(byte* cell) => *(ushort*)cell;
}

internal readonly unsafe struct FourBytes : ICell
{
    public static int Bytes => 4;

    public static uint Load(byte* cell) => *(uint*)cell;
}
