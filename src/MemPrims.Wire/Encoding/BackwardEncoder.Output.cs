using MemPrims.Buffers;

namespace MemPrims.Wire;

// Where the encoded bytes go: the scratch bytes, with the pieces that were not copied in between.
internal sealed unsafe partial class BackwardEncoder
{
    public byte[] ToArray()
    {
        // A message may have a few bytes less than 2 GiB, and no array is that long.
        if (Length > Array.MaxLength) throw WireErrors.TooLongForArray(Length);
        byte[] array = GC.AllocateUninitializedArray<byte>((int)Length);
        CopyTo(array);
        return array;
    }

    public void CopyTo(Span<byte> destination)
    {
        if (_pieces.Count == 0)
        {
            Block.Copy(destination, new ReadOnlySpan<byte>(_position, (int)(_end - _position)));
            return;
        }
        byte* p = _position;
        for (int part = 0; part < Parts; part++)
        {
            ReadOnlySpan<byte> bytes = Part(part, ref p);
            bytes.CopyTo(destination);
            destination = destination[bytes.Length..];
        }
    }

    public void CopyTo(SegmentList list)
    {
        byte* p = _position;
        if (_pieces.Count == 0 && _end - p <= FirstSize)
        {
            // The runtime's own copy: it is there when a process starts. Block.Copy takes 3 to 6 ms to compile.
            ReadOnlySpan<byte> all = new(p, (int)(_end - p));
            all.CopyTo(list.GetSpan(all.Length));
            list.Advance(all.Length);
            return;
        }
        for (int part = 0; part < Parts; part++)
            if (PieceAt(part) is { } piece) list.Splice(piece.Memory);
            else Append(list, Part(part, ref p));
    }

    public void CopyTo(IBufferWriter<byte> writer)
    {
        byte* p = _position;
        for (int part = 0; part < Parts; part++) Append(writer, Part(part, ref p));
    }

    public void CopyTo(ref Appender to)
    {
        byte* p = _position;
        for (int part = 0; part < Parts; part++) to.Write(Part(part, ref p));
    }

    public void CopyTo(Stream stream)
    {
        byte* p = _position;
        for (int part = 0; part < Parts; part++) stream.Write(Part(part, ref p));
    }

    // A short message stays in one piece; a long one fills the segments that are there.
    private static void Append<TWriter>(TWriter writer, ReadOnlySpan<byte> bytes)
        where TWriter : IBufferWriter<byte>
    {
        while (!bytes.IsEmpty)
        {
            Span<byte> room = writer.GetSpan(bytes.Length <= FirstSize ? bytes.Length : 1);
            int part = Math.Min(room.Length, bytes.Length);
            Block.Copy(room[..part], bytes[..part]);
            writer.Advance(part);
            bytes = bytes[part..];
        }
    }

    // Scratch bytes and pieces in turn. The pieces were noted from the last to the first.
    private int Parts => 2 * _pieces.Count + 1;

    private Piece? PieceAt(int part) => part % 2 != 0 ? _pieces[^(part / 2 + 1)] : null;

    // p: where the scratch bytes go on that were not taken yet.
    private ReadOnlySpan<byte> Part(int part, ref byte* p)
    {
        if (PieceAt(part) is { } piece) return piece.Memory.Span;
        byte* from = p;
        p = part + 1 < Parts ? _end - _pieces[^(part / 2 + 1)].FromEnd : _end;
        return new(from, (int)(p - from));
    }
}
