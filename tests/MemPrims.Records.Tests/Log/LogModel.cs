using System.Buffers.Binary;

namespace MemPrims.Records.Tests.Log;

// A rule of recovery that a reader may leave out, to see that tests notice.
[Flags]
internal enum LeftOut
{
    Nothing = 0,
    MarksBefore = 1,
    Search = 2,
    HeaderCheck = 4,
    PayloadSum = 8,
}

// A reader written from LOG-FORMAT.md alone, and the model that the code is held to: what a row of files means. It shares no line with the
// library, not even the checksum.
internal static class LogModel
{
    private static readonly uint[] s_table = [.. Enumerable.Range(0, 256).Select(n =>
    {
        uint c = (uint)n;
        for (int bit = 0; bit < 8; bit++) c = (c & 1) != 0 ? c >> 1 ^ 0x82F63B78 : c >> 1;
        return c;
    })];

    public sealed record Outcome(bool IsDamaged, long End, IReadOnlyList<(long Position, byte[] Payload)> Frames, bool EndsClosed);

    private readonly record struct Header(int Length, long Mark, uint Crc, uint Sum);

    public static Outcome Recover(IReadOnlyList<(long First, byte[] Bytes)> files, LeftOut without = LeftOut.Nothing)
    {
        byte[] id = files[0].Bytes[8..16];
        for (int i = 0; i < files.Count; i++)
            if (files[i].First is < 0 or > 1L << 62 || files[i].First % 8 != 0 || (i > 0 && files[i].First < files[i - 1].First + 64))
                return new(true, files[i].First, [], false);
        List<(long, byte[])> frames = [];
        long place = 0, mark = 0;
        bool closed = false;
        for (int i = 0; i < files.Count; i++)
        {
            (long first, byte[] bytes) = files[i];
            long end = i + 1 < files.Count ? files[i + 1].First : long.MaxValue;
            CheckFile(bytes, first, id);
            place = first + 64;
            while (ReadFrame(bytes, place, first, end, id, without) is var (payload, header, size))
            {
                if (header.Length >= 0) frames.Add((place, payload));
                if (!without.HasFlag(LeftOut.MarksBefore)) mark = Math.Max(mark, header.Mark);
                closed = header.Length == -2;
                place += size;
            }
            if (place != end) break;
        }
        if (!without.HasFlag(LeftOut.Search))
            foreach ((long first, byte[] bytes) in files)
                for (long at = first + 64; at + 32 <= first + bytes.Length; at += 8)
                    if (at > place && ReadHeader(bytes, at, first, id, without) is { } found) mark = Math.Max(mark, found.Mark);
        // The last file tells where it ends that another one followed.
        (long last, byte[] lastFile) = files[^1];
        bool isGone = place > last && ReadHeader(lastFile, place, last, id, without, least: -3) is { Length: -3 };
        return new(mark > place || isGone, place, frames, closed);
    }

    public static uint Crc(params byte[][] parts)
    {
        uint c = ~0u;
        foreach (byte[] part in parts)
            foreach (byte b in part) c = c >> 8 ^ s_table[(c ^ b) & 255];
        return ~c;
    }

    // A frame as its writer makes it.
    public static byte[] Frame(byte[] id, long position, long mark, byte[] payload, int? length = null)
    {
        byte[] padded = [.. payload, .. new byte[-payload.Length & 7]], header = new byte[32];
        BinaryPrimitives.WriteInt32LittleEndian(header.AsSpan(4), length ?? payload.Length);
        BinaryPrimitives.WriteInt64LittleEndian(header.AsSpan(8), position);
        BinaryPrimitives.WriteInt64LittleEndian(header.AsSpan(16), mark);
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(24), Crc(padded));
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(28), Sum(padded));
        BinaryPrimitives.WriteUInt32LittleEndian(header, Crc(id, header[4..]));
        return [.. header, .. padded];
    }

    private static void CheckFile(byte[] bytes, long first, byte[] id)
    {
        Assert.Equal([0x89, (byte)'M', (byte)'P', (byte)'L', (byte)'O', (byte)'G', (byte)'0', (byte)'1'], bytes[..8]);
        Assert.Equal(id, bytes[8..16]);
        Assert.Equal(first, BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(16)));
        Assert.Equal(1, BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(24)));
        Assert.Equal(Crc(bytes[..28]), BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(28)));
        Assert.True(bytes.AsSpan(32, 32).IndexOfAnyExcept((byte)0) < 0);
    }

    private static Header? ReadHeader(byte[] bytes, long place, long first, byte[] id, LeftOut without, int least = -2)
    {
        if (place - first + 32 > bytes.Length) return null;
        byte[] header = bytes[(int)(place - first)..(int)(place - first + 32)];
        int length = BinaryPrimitives.ReadInt32LittleEndian(header.AsSpan(4));
        if (BinaryPrimitives.ReadInt64LittleEndian(header.AsSpan(8)) != place || length < least || length > 2147418112) return null;
        if (!without.HasFlag(LeftOut.HeaderCheck) && BinaryPrimitives.ReadUInt32LittleEndian(header) != Crc(id, header[4..])) return null;
        return new(length, BinaryPrimitives.ReadInt64LittleEndian(header.AsSpan(16)),
            BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(24)), BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(28)));
    }

    private static (byte[] Payload, Header Header, long Size)? ReadFrame(byte[] bytes, long place, long first, long end, byte[] id,
        LeftOut without)
    {
        if (ReadHeader(bytes, place, first, id, without) is not { } header) return null;
        long length = Math.Max(header.Length, 0), padded = (length + 7) / 8 * 8, at = place - first + 32;
        if (at + padded > bytes.Length || place + 32 + padded > end) return null;
        byte[] body = bytes[(int)at..(int)(at + padded)];
        bool isSound = Crc(body) == header.Crc && (without.HasFlag(LeftOut.PayloadSum) || Sum(body) == header.Sum);
        return isSound ? (body[..(int)length], header, 32 + padded) : null;
    }

    private static uint Sum(byte[] padded)
    {
        ulong sum = 0;
        for (int i = 0; i < padded.Length; i += 8) sum += BinaryPrimitives.ReadUInt64LittleEndian(padded.AsSpan(i));
        return (uint)(sum >> 32) ^ (uint)sum;
    }
}
