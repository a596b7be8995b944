namespace MemPrims.Records.Log;

/// <summary>The CRC-32C of a payload so far, and the sum of its words.</summary>
internal readonly record struct PayloadSum(uint Crc, ulong Sum)
{
    public ulong Value => Crc | (Sum ^ Sum << 32) >> 32 << 32;
}
