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

    // Appends the tag and length of a field whose content comes next.
    public void AppendHead(int number, int length)
    {
        Span<byte> head = stackalloc byte[20];
        int size = Codecs.Varint.Write(head, (ulong)(uint)number << 3 | (uint)WireType.Bytes);
        size += Codecs.Varint.Write(head[size..], (ulong)length);
        Append(head[..size]);
    }

    // Appends a field that was read already, as a varint.
    public void AppendVarint(int number, ulong value)
    {
        Span<byte> field = stackalloc byte[20];
        int length = Codecs.Varint.Write(field, (ulong)(uint)number << 3);
        length += Codecs.Varint.Write(field[length..], value);
        Append(field[..length]);
    }
}
