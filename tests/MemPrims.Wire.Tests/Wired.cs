using Google.Protobuf;

namespace MemPrims.Wire.Tests;

// Fields written by hand.
internal static class Wired
{
    // A field with a length: text, bytes or a message.
    public static byte[] Inside(int number, byte[] inner)
    {
        byte[] head = new byte[20];
        int length = Codecs.Varint.Write(head, (ulong)((uint)number << 3 | 2));
        length += Codecs.Varint.Write(head.AsSpan(length), (ulong)inner.Length);
        return [.. head[..length], .. inner];
    }

    // A field with a varint.
    public static byte[] Number(int number, ulong value)
    {
        byte[] head = new byte[20];
        int length = Codecs.Varint.Write(head, (ulong)((uint)number << 3));
        length += Codecs.Varint.Write(head.AsSpan(length), value);
        return head[..length];
    }

    public static byte[] Bytes(IMessage message) => message.ToByteArray();
}
