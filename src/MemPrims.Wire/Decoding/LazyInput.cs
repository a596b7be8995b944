namespace MemPrims.Wire;

// What a lazily decoded message leaves for later: the input that its encoded parts lie in, the options it was decoded with, and what is
// left of their budget. All parts share it, so asking for them one by one costs no more memory, and goes no deeper, than decoding the
// whole at once.
// isOwnCopy: whether the source is an array that nobody else has.
internal sealed class LazyInput(MessageType root, object source, bool isOwnCopy, int start, int length, DecodeOptions options,
    StrongBox<long> memory)
{
    private readonly DecodeOptions _partial = options.AllowPartial ? options : options with { AllowPartial = true };
    private LazyInput? _own;

    // The array or memory manager that the parts lie in.
    public object Source => source;

    public long MemoryLeft => Interlocked.Read(ref memory.Value);

    public void Charge(long used) => Interlocked.Add(ref memory.Value, -used);

    // What a part is of that leaves the message it was decoded in, or outlives the lent memory. All such parts share one copy of the
    // input, so their faults are still told as for the whole.
    // depth: how deep messages may lie in the message that has the part.
    public LazyPart Keep(int depth)
    {
        LazyInput own = isOwnCopy ? this : _own ??= new(root, All.ToArray(), true, 0, length, options, memory);
        return new(own, start, depth);
    }

    private ReadOnlySpan<byte> All => new Slot { Bits = Slot.Slice(start, length), Ref = source }.Span(null);

    // Decodes a part. Its faults are told as for the whole.
    public void Decode(Message inner, in Slot part, int depth, bool mayMiss, out long used)
    {
        try
        {
            Decoder.DecodePart(inner, part.Span(null), part.Place, mayMiss ? _partial : options, this, depth, out used);
        }
        catch (WireException e) when (!ReferenceEquals(e.Whole, this))
        {
            throw FaultOf(e, part.Place - start);
        }
    }

    // A fault with the offset and path that decoding at once tells: decoding at once finds them. So messages need not know their place.
    // found: what was found. It is told if decoding at once finds nothing: a budget was spent twice, on copies, or the lent memory was
    // changed since.
    // at: where in the whole its offset counts from.
    public WireException FaultOf(WireException found, int at)
    {
        try
        {
            Decoder.Decode(Message.Make(root), All, source, start, options with { Lazy = false });
        }
        catch (WireException e)
        {
            return new(e.Reason, e.Offset, e.Path, found) { Whole = this };
        }
        return new(found.Reason, found.Offset < 0 ? -1 : at + found.Offset, "", found) { Whole = this };
    }
}

// A whole input that is kept for the parts of it that are still encoded, and by which rules such a part is decoded.
internal sealed class LazyPart(LazyInput input, int start, int depth) : KeptBytes((byte[])input.Source, start)
{
    public LazyInput Input => input;

    public int Depth => depth;
}
