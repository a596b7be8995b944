using System.Buffers;
using MemPrims.Buffers;

namespace MemPrims.Wire;

// Where the encoded bytes go: the scratch bytes, with the pieces that were not copied in between.
internal sealed unsafe partial class BackwardEncoder
{
    public byte[] ToArray()
    {
        // A message may have a few bytes less than 2 GiB, and no array is that long.
        if (Length > Array.MaxLength) WireErrors.TooLongForArray(Length);
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
        for (int i = _pieces.Count - 1; i >= 0; i--)
        {
            ReadOnlySpan<byte> own = TakeUpTo(_pieces[i], ref p), piece = _pieces[i].Memory.Span;
            own.CopyTo(destination);
            piece.CopyTo(destination[own.Length..]);
            destination = destination[(own.Length + piece.Length)..];
        }
        new ReadOnlySpan<byte>(p, (int)(_end - p)).CopyTo(destination);
    }

    public void CopyTo(SegmentList list)
    {
        byte* p = _position;
        if (_pieces.Count == 0 && _end - p <= FirstSize)
        {
            // This looks once at the room that is left; GetSpan and Advance would look twice.
            list.Append(new Encoded(p, (int)(_end - p)));
            return;
        }
        for (int i = _pieces.Count - 1; i >= 0; i--)
        {
            Append(list, TakeUpTo(_pieces[i], ref p));
            list.Splice(_pieces[i].Memory);
        }
        Append(list, new ReadOnlySpan<byte>(p, (int)(_end - p)));
    }

    public void CopyTo(IBufferWriter<byte> writer)
    {
        byte* p = _position;
        for (int i = _pieces.Count - 1; i >= 0; i--)
        {
            Append(writer, TakeUpTo(_pieces[i], ref p));
            Append(writer, _pieces[i].Memory.Span);
        }
        Append(writer, new ReadOnlySpan<byte>(p, (int)(_end - p)));
    }

    public void CopyTo(ref Appender to)
    {
        byte* p = _position;
        for (int i = _pieces.Count - 1; i >= 0; i--)
        {
            to.Write(TakeUpTo(_pieces[i], ref p));
            to.Write(_pieces[i].Memory.Span);
        }
        to.Write(new ReadOnlySpan<byte>(p, (int)(_end - p)));
    }

    public void CopyTo(Stream stream)
    {
        byte* p = _position;
        for (int i = _pieces.Count - 1; i >= 0; i--)
        {
            stream.Write(TakeUpTo(_pieces[i], ref p));
            stream.Write(_pieces[i].Memory.Span);
        }
        stream.Write(new ReadOnlySpan<byte>(p, (int)(_end - p)));
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

    private ReadOnlySpan<byte> TakeUpTo(Piece piece, ref byte* p)
    {
        byte* from = p;
        p = _end - piece.FromEnd;
        return new(from, (int)(p - from));
    }

    private readonly struct Encoded(byte* start, int length) : IEncodable<Encoded>
    {
        private readonly byte* _start = start;
        private readonly int _length = length;

        public static int Bound(in Encoded value) => value._length;

        // The runtime's own copy: it is there when a process starts. Block.Copy takes 3 to 6 ms to compile.
        public static void Encode(in Encoded value, ref UnsafeAppender to)
        {
            byte* at = to.Claim(value._length);
            new ReadOnlySpan<byte>(value._start, value._length).CopyTo(new Span<byte>(at, value._length));
            to.MoveTo(at + value._length);
        }
    }
}
