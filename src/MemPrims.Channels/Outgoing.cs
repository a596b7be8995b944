namespace MemPrims.Channels;

// A message on its way: how much of it has gone, and whether the peer may have seen a part.
internal unsafe struct Outgoing(long total)
{
    public PacketHeader Header = new(PacketKind.Whole, total);
    public bool HasBegun, IsSeen;
    public long Left = total;

    // Where the next byte is: in which piece, and how far into it. The first piece is the place of a packet's header.
    private int _piece = 1;
    private nint _into;

    // The next bytes that lie in one piece, up to a length. The pieces have them: see Left.
    public Posix.Iovec Take(Posix.Iovec* pieces, nint most)
    {
        while (pieces[_piece].Length == _into)
        {
            _piece++;
            _into = 0;
        }
        Posix.Iovec piece = new() { Start = pieces[_piece].Start + _into, Length = Math.Min(most, pieces[_piece].Length - _into) };
        _into += piece.Length;
        Left -= piece.Length;
        return piece;
    }
}
