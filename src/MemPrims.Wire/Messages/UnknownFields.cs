namespace MemPrims.Wire;

// The fields that the schema does not know, as they were on the wire, in their order.
internal sealed class UnknownFields
{
    public byte[] Bytes = [];
    public int Length;

    public ReadOnlySpan<byte> Span => Bytes.AsSpan(0, Length);

    public void Append(ReadOnlySpan<byte> field)
    {
        if (Bytes.Length - Length < field.Length)
            Array.Resize(ref Bytes, (int)Math.Min(Array.MaxLength, Math.Max((long)Length + field.Length, 2L * Length)));
        field.CopyTo(Bytes.AsSpan(Length));
        Length += field.Length;
    }

    // Appends a tag, and after it a varint, or the length of the content that comes next.
    public void Append(int number, WireType type, ulong value)
    {
        Span<byte> field = stackalloc byte[20];
        int length = Codecs.Varint.Write(field, (ulong)(uint)number << 3 | (uint)type);
        length += Codecs.Varint.Write(field[length..], value);
        Append(field[..length]);
    }
}
