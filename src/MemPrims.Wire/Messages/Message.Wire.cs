using MemPrims.Buffers;

namespace MemPrims.Wire;

// To and from bytes and JSON; copies and comparison.
public abstract partial class Message
{
    /// <summary>
    /// Encodes into a list, after what is there. Bytes and UTF-8 of <see cref="SegmentList.SpliceThreshold"/> bytes or more are referred
    /// to, not copied: leave them unchanged until the list is cleared or disposed. Required fields are not checked on writing, as in
    /// Google's C#, but decoding refuses a message that lacks one: ask <see cref="FindMissingRequired"/> before you store it.
    /// </summary>
    /// <exception cref="InvalidOperationException">The message contains itself, or has 2 GiB or more.</exception>
    /// <exception cref="WireException">A string has half of a surrogate pair.</exception>
    public void WriteTo(SegmentList list)
    {
        ArgumentNullException.ThrowIfNull(list);
        if (ForwardEncoder.TryWrite(this, list)) return;
        using BackwardEncoder encoder = BackwardEncoder.Encode(this);
        encoder.CopyTo(list);
    }

    /// <summary>Encodes into a writer. Required fields are not checked: see <see cref="FindMissingRequired"/>.</summary>
    public void WriteTo(IBufferWriter<byte> writer)
    {
        ArgumentNullException.ThrowIfNull(writer);
        if (writer is SegmentList list)
        {
            WriteTo(list);
            return;
        }
        if (ForwardEncoder.TryWrite(this, writer)) return;
        using BackwardEncoder encoder = BackwardEncoder.Encode(this);
        encoder.CopyTo(writer);
    }

    /// <summary>Encodes at an appender's end; all is copied. Required fields are not checked.</summary>
    public void WriteTo(ref Appender to)
    {
        using BackwardEncoder encoder = BackwardEncoder.Encode(this);
        encoder.CopyTo(ref to);
    }

    /// <summary>Encodes into a stream. Required fields are not checked: see <see cref="FindMissingRequired"/>.</summary>
    public void WriteTo(Stream stream)
    {
        ArgumentNullException.ThrowIfNull(stream);
        using BackwardEncoder encoder = BackwardEncoder.Encode(this);
        encoder.CopyTo(stream);
    }

    /// <summary>Encodes into a span and returns how many bytes were written. Required fields are not checked.</summary>
    /// <exception cref="ArgumentException">It is too short, and nothing was written.</exception>
    public int WriteTo(Span<byte> destination)
    {
        if (!TryWriteTo(destination, out int length))
            throw new ArgumentException($"The message has {length} bytes, the destination {destination.Length}.", nameof(destination));
        return length;
    }

    /// <summary>
    /// Encodes into a span if there is room. <paramref name="length"/> is the size of the encoded message, whether there was room or not.
    /// </summary>
    /// <inheritdoc cref="WriteTo(SegmentList)"/>
    public bool TryWriteTo(Span<byte> destination, out int length)
    {
        using BackwardEncoder encoder = BackwardEncoder.Encode(this);
        length = (int)encoder.Length;
        if (length > destination.Length) return false;
        encoder.CopyTo(destination);
        return true;
    }

    /// <summary>Encodes into an array. Required fields are not checked: see <see cref="FindMissingRequired"/>.</summary>
    public byte[] ToByteArray()
    {
        using BackwardEncoder encoder = BackwardEncoder.Encode(this);
        return encoder.ToArray();
    }

    /// <summary>How many bytes the message has when encoded. It is found by encoding.</summary>
    public int CalculateSize()
    {
        TryWriteTo(default, out int length);
        return length;
    }

    /// <summary>
    /// Clears the message and decodes into it, using its sub-messages and lists again. Text and bytes become slices of the memory: leave
    /// the memory unchanged until the next DecodeFrom or <see cref="Clear()"/> of this message. Text that is
    /// read as a string is made anew each time.
    /// </summary>
    /// <exception cref="WireException">The bytes are no such message; the message is empty then.</exception>
    public void DecodeFrom(ReadOnlyMemory<byte> memory, DecodeOptions? options = null)
    {
        CheckKeys();
        Reset();
        try
        {
            Slot whole = default;
            whole.Set(memory);
            Decoder.Decode(this, memory.Span, whole.Ref, whole.Offset, options ?? DecodeOptions.Default);
        }
        catch
        {
            Clear();
            throw;
        }
    }

    /// <summary>
    /// Adds what the bytes say: single fields are replaced, sub-messages merged, lists appended to. Everything is copied.
    /// </summary>
    /// <exception cref="WireException">The bytes are no such message; what was decoded before the fault is in the message.</exception>
    public void MergeFrom(ReadOnlySpan<byte> bytes, DecodeOptions? options = null)
    {
        CheckKeys();
        Keep();
        Decoder.Decode(this, bytes, null, 0, options ?? DecodeOptions.Default);
    }

    /// <summary>
    /// A copy that shares nothing that can change. What lies in the memory of <see cref="DecodeFrom"/>, or was set encoded, is copied;
    /// strings, and bytes that were set, are shared.
    /// </summary>
    public Message Clone()
    {
        Message copy = Make(_type);
        copy.MergeFrom(this);
        return copy;
    }

    /// <summary>
    /// Adds another message of the same type: its single fields replace, its sub-messages are merged, its lists are appended, its map
    /// entries replace those of the same key, its unknown fields are appended. All is copied, as by <see cref="Clone"/>.
    /// </summary>
    /// <exception cref="ArgumentException">It is of another type.</exception>
    public void MergeFrom(Message other)
    {
        ArgumentNullException.ThrowIfNull(other);
        if (other._type != _type)
            throw new ArgumentException(
                $"This is a {_type.FullName}; a {other._type.FullName}{MessageErrors.OfAnother(_type.FullName == other._type.FullName)} "
                + "cannot be merged into it.", nameof(other));
        CheckKeys();
        new MessageMerge(this, ReferenceEquals(this, other) ? other.Clone() : other).Run();
    }

    /// <summary>
    /// Whether the other one is of the same type and says the same: the same fields set to the same values, floats by their bits, maps in
    /// any order, the same unknown fields in the same order.
    /// </summary>
    public override bool Equals(object? obj) => obj is Message other && MessageEquality.AreEqual(this, other);

    /// <summary>A hash of the numbers and of which fields are set: equal messages have the same. It changes with the message.</summary>
    public override int GetHashCode() => MessageEquality.HashOf(this);

    /// <summary>The message as JSON.</summary>
    /// <exception cref="WireException">
    /// Something in it has no form in JSON: a time outside the years 1 to 9999, an Any of a type that the schema lacks, text that is not
    /// UTF-8. Its <see cref="WireException.Path"/> names the field; there is no offset.
    /// </exception>
    public string ToJson(JsonWriteOptions? options = null) => JsonWriter.ToText(this, options ?? JsonWriteOptions.Default);

    /// <summary>The message as JSON, or what is wrong with it: for people and debuggers.</summary>
    public override string ToString()
    {
        try
        {
            return ToJson();
        }
        catch (Exception e)
        {
            return $"{_type.FullName} ({e.Message})";
        }
    }
}
