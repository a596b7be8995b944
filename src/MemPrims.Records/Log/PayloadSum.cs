namespace MemPrims.Records.Log;

// The CRC-32C of a payload so far, and the sum of its words.
internal readonly record struct PayloadSum(uint Crc, ulong Sum)
{
    public ulong Value => Crc | (Sum ^ Sum << 32) >> 32 << 32;
}
