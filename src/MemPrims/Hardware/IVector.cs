namespace MemPrims;

// What a kernel needs of a vector. A loop over it is written once, for 128, 256 and 512 bits and for words of 8 bytes. The vectors are
// structs of this assembly around those of the runtime: the precompiler compiles a loop over the former, and leaves out one over the
// latter. Either compiler makes the instructions of a loop written by hand.
internal interface IVector<TSelf> where TSelf : struct, IVector<TSelf>
{
    // In bytes.
    static abstract int Size { get; }
    static abstract TSelf Load(ref byte block, nint offset);
    static abstract void Store(TSelf vector, ref byte block, nint offset);
    static abstract TSelf Difference(TSelf left, TSelf right);
    static abstract TSelf Either(TSelf left, TSelf right);
    static abstract bool IsZero(TSelf vector);

    // Bit i is set where byte i differs. With words only the first bit that is set has a meaning.
    static abstract ulong DifferentBytes(TSelf left, TSelf right);

    // Bit i is set where byte i of the left vector is the greater one. With words only the bit of the first difference has a meaning.
    static abstract ulong GreaterBytes(TSelf left, TSelf right);
}
