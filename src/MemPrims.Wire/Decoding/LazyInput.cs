using System.Runtime.CompilerServices;
using System.Text;

namespace MemPrims.Wire;

// What a lazily decoded message leaves for later: the input that its encoded parts lie in, the options it was decoded with, and what is
// left of their budget. All parts share it, so asking for them one by one costs no more memory, and goes no deeper, than decoding the
// whole at once.
internal sealed class LazyInput(MessageType root, object source, bool isOwnCopy, int start, int length, DecodeOptions options,
    StrongBox<long> memory)
{
    private readonly DecodeOptions _partial = options.AllowPartial ? options : options with { AllowPartial = true };
    private LazyInput? _own;

    // The array or memory manager that the parts lie in.
    public object Source => source;

    // Whether that is an array that nobody else has.
    public bool IsOwnCopy => isOwnCopy;

    public long MemoryLeft => Interlocked.Read(ref memory.Value);

    public void Charge(long used) => Interlocked.Add(ref memory.Value, -used);

    // A part that leaves the message it was decoded in, or outlives the lent memory. All such parts share one copy of the input, so
    // their faults still tell the path and offset in the whole.
    // depth: How deep messages may lie in the message that has the part.
    public Slot Keep(in Slot part, int depth)
    {
        LazyInput own = isOwnCopy ? this : _own ??= new(root, All.ToArray(), true, 0, length, options, memory);
        int shift = isOwnCopy ? 0 : start;
        return new() { Bits = Slot.Slice(part.Offset - shift, part.Length), Ref = new LazyPart(own, depth) };
    }

    private ReadOnlySpan<byte> All => new Slot { Bits = Slot.Slice(start, length), Ref = source }.Span(null);

    // Decodes a part. Its faults have the offset and path in the whole, as if that had been decoded at once.
    // inner: The message to decode into.
    // part: Where it is encoded.
    // depth: How deep messages may lie in it.
    // mayMiss: Whether required fields may be missing because more is merged into it.
    // used: The memory that it took from the budget.
    public void Decode(Message inner, in Slot part, int depth, bool mayMiss, out long used)
    {
        try
        {
            Decoder.DecodePart(inner, part.Span(null), part.Offset, mayMiss ? _partial : options, this, depth, out used);
        }
        catch (WireException e) when (!ReferenceEquals(e.Whole, this))
        {
            int at = part.Offset - start;
            string above = PathOf(at), path = e.Path.Length == 0 ? above : $"{above}.{e.Path}";
            throw new WireException(e.Reason, e.Offset < 0 ? -1 : at + e.Offset, path, e) { Whole = this };
        }
    }

    // Looks from the top for the field whose content begins at an offset. Only errors need it, so no message keeps its path.
    private string PathOf(int at)
    {
        StringBuilder path = new();
        try
        {
            ReadOnlySpan<byte> level = All;
            int levelStart = 0;
            MessageType? type = root;
            while (type is not null) type = Enter(type, ref level, ref levelStart, at, path);
        }
        catch (WireException)
        {
            // The lent memory was changed since. The path ends where the search did.
        }
        return path.ToString();
    }

    // The key in an entry, if it comes before what is looked for: as decoding at once tells it.
    private static string? KeyBefore(MessageField map, ReadOnlySpan<byte> entry, int at)
    {
        MessageField key = map.MessageType!.Fields[0];
        string? found = null;
        WireScanner scan = new(entry, 0);
        while (scan.Position < at && scan.Next())
            if (!scan.Is(1, Scalars.WireTypeOf(key.Kind))) scan.Skip(int.MaxValue);
            else found = key.IsText ? Encoding.UTF8.GetString(scan.Bytes())
                : PathText.Number(key.Kind, PathScanner.ReadNumber(key, ref scan));
        return found;
    }

    // Goes into the field that holds the offset; null if the search ends here.
    private static MessageType? Enter(MessageType type, ref ReadOnlySpan<byte> level, ref int levelStart, int at, StringBuilder path)
    {
        int[] counts = new int[type.Fields.Count];
        WireScanner scan = new(level, 0);
        while (scan.Next())
        {
            int number = scan.Number, from = scan.Position;
            if (scan.WireType == WireType.Bytes)
            {
                int size = scan.Bytes().Length;
                from = scan.Position - size;
            }
            else scan.Skip(int.MaxValue);
            int index = type.IndexOf((uint)number), end = scan.Position;
            if (index < 0) continue;
            int count = counts[index]++;
            if (at < levelStart + from || (at >= levelStart + end && at != levelStart + from)) continue;
            MessageField field = type.Fields[index];
            bool isNamed = type.IsMapEntry && number == 2 && path.ToString().EndsWith("\"]", StringComparison.Ordinal);
            if (!isNamed) path.Append(path.Length > 0 ? "." : "").Append(field.Name);
            if (field.IsMap && KeyBefore(field, level[from..end], at - levelStart - from) is { } key) path.Append(PathText.Key(key));
            else if (field.IsRepeated) path.Append('[').Append(count).Append(']');
            if (at == levelStart + from) return null;
            level = level[from..end];
            levelStart += from;
            return field.MessageType;
        }
        return null;
    }
}

// What the slot of a kept part refers to: whose bytes the slice lies in, and by which rules it is decoded.
internal sealed class LazyPart(LazyInput input, int depth)
{
    public LazyInput Input => input;

    public int Depth => depth;

    public byte[] Bytes { get; } = (byte[])input.Source;
}
