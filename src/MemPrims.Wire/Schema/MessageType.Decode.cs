using System.Buffers;

namespace MemPrims.Wire;

public sealed partial class MessageType
{
    /// <summary>An empty message of this type.</summary>
    public Message New() => Message.Make(this);

    /// <summary>
    /// A path to one value in messages of this type, as <c>lines[3].sku</c> or <c>labels["key"]</c>, or to many, as
    /// <c>lines[*].sku</c>. It begins with a field of this type.
    /// </summary>
    /// <exception cref="ArgumentException">It leads nowhere; the message says where it ends.</exception>
    public FieldPath Path(string path) => new(this, path);

    /// <summary>Decodes a message. Text becomes strings, bytes arrays; nothing refers to <paramref name="message"/> afterwards.</summary>
    /// <exception cref="WireException">The bytes are no such message; it tells the offset and the field.</exception>
    public Message Decode(ReadOnlySpan<byte> message) => Decode(message, null);

    /// <summary>Decodes a message.</summary>
    /// <exception cref="WireException">The bytes are no such message; it tells the offset and the field.</exception>
    public Message Decode(ReadOnlySpan<byte> message, DecodeOptions? options)
    {
        Message decoded = Message.Make(this);
        Decoder.Decode(decoded, message, null, 0, options ?? DecodeOptions.Default);
        return decoded;
    }

    /// <summary>Decodes a message that lies in several pieces of memory.</summary>
    /// <exception cref="WireException">The bytes are no such message; it tells the offset and the field.</exception>
    public Message Decode(in ReadOnlySequence<byte> message, DecodeOptions? options = null) =>
        message.IsSingleSegment ? Decode(message.FirstSpan, options)
            : Decode(Gathering.ToArray(in message, options ?? DecodeOptions.Default), options);

    /// <summary>Decodes a message from a stream, read to its end.</summary>
    /// <exception cref="WireException">The bytes are no such message; it tells the offset and the field.</exception>
    public Message Decode(Stream message, DecodeOptions? options = null) =>
        Decode(Gathering.Read(message, options ?? DecodeOptions.Default).Span, options);
}
