using System.Buffers;
using System.Runtime.InteropServices;
using MemPrims.Buffers;

namespace MemPrims.Wire;

// To and from bytes.
public sealed partial class Message
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
        if (ForwardEncoder.Takes(this) && TryWriteForward(list)) return;
        using BackwardEncoder encoder = BackwardEncoder.Encode(this);
        encoder.CopyTo(list);
    }

    // What was not advanced over is the writer's to write over again.
    private unsafe bool TryWriteForward<TWriter>(TWriter writer)
        where TWriter : IBufferWriter<byte>
    {
        Span<byte> room = writer.GetSpan();
        int length;
        fixed (byte* start = room)
        {
            byte* end = ForwardEncoder.TryWrite(this, start, start + room.Length);
            if (end == null) return false;
            length = (int)(end - start);
        }
        writer.Advance(length);
        return true;
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
        if (ForwardEncoder.Takes(this) && TryWriteForward(writer)) return;
        using BackwardEncoder encoder = BackwardEncoder.Encode(this);
        encoder.CopyTo(writer);
    }

    /// <summary>
    /// Encodes at an appender's end, inside of a frame too if one is open. All is copied. Required fields are not checked: see
    /// <see cref="FindMissingRequired"/>.
    /// </summary>
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

    /// <summary>
    /// Encodes into a span and returns how many bytes were written. Required fields are not checked: see
    /// <see cref="FindMissingRequired"/>.
    /// </summary>
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
    /// <exception cref="InvalidOperationException">
    /// The message contains itself, or has 2 GiB or more, which no span has room for.
    /// </exception>
    /// <exception cref="WireException">A string has half of a surrogate pair.</exception>
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
        options ??= DecodeOptions.Default;
        try
        {
            if (MemoryMarshal.TryGetArray(memory, out ArraySegment<byte> segment))
                Decoder.Decode(this, memory.Span, segment.Array ?? [], segment.Offset, options);
            else if (MemoryMarshal.TryGetMemoryManager(memory, out MemoryManager<byte>? manager, out int start, out _))
                Decoder.Decode(this, memory.Span, manager, start, options);
            else Decoder.Decode(this, memory.Span, null, 0, options);
        }
        catch
        {
            Clear();
            throw;
        }
    }

    /// <summary>The same from a sequence. One of several segments is gathered into an array of its own first.</summary>
    public void DecodeFrom(in ReadOnlySequence<byte> sequence, DecodeOptions? options = null)
    {
        if (sequence.IsSingleSegment) DecodeFrom(sequence.First, options);
        else DecodeFrom(Gathering.ToArray(in sequence, options ?? DecodeOptions.Default), options);
    }

    /// <summary>The same from a stream, read to its end.</summary>
    public void DecodeFrom(Stream stream, DecodeOptions? options = null) =>
        DecodeFrom(Gathering.Read(stream, options ?? DecodeOptions.Default), options);

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
}
