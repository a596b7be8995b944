namespace MemPrims;

// CRC-32C from tables, for machines without an instruction for it. A step takes eight bytes. Each of them is looked up in its own table,
// so the eight look-ups do not wait for each other. Table k has the CRC of each byte followed by k zero bytes.
internal static unsafe class Crc32CTable
{
    private const int BytesPerStep = 8, Values = 256;

    private static readonly uint[] s_tables = Build();

    // Continues a CRC. Neither the argument nor the result is inverted.
    public static uint Update(uint crc, byte* source, nint length)
    {
        fixed (uint* table = s_tables)
        {
            for (; length >= BytesPerStep; source += BytesPerStep, length -= BytesPerStep)
            {
                ulong word = Unsafe.ReadUnaligned<ulong>(source) ^ crc;
                crc = 0;
                for (int i = 0; i < BytesPerStep; i++)
                    crc ^= table[(BytesPerStep - 1 - i) * Values + (byte)(word >> (8 * i))];
            }
            for (; length > 0; source++, length--)
                crc = (crc >> 8) ^ table[(byte)(crc ^ *source)];
        }
        return crc;
    }

    private static uint[] Build()
    {
        uint[] tables = new uint[BytesPerStep * Values];
        for (uint value = 0; value < Values; value++)
        {
            uint crc = value;
            for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (Crc32CPolynomial.Reflected & (0 - (crc & 1)));
            tables[value] = crc;
        }
        for (int i = Values; i < tables.Length; i++)
            tables[i] = (tables[i - Values] >> 8) ^ tables[(byte)tables[i - Values]];
        return tables;
    }
}
