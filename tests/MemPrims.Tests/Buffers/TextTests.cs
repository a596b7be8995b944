using System.Buffers;
using System.Text;
using MemPrims.Buffers;
using MemPrims.Codecs;

namespace MemPrims.Tests.Buffers;

// Texts of every short length, with every kind of character at every place, written and read.
public class TextTests
{
    private static readonly string[] s_strange =
        ["\0", "\x7F", "\x80", "\xFF", "\u0100", "\u7F00", "\u8000", "€", "\uFF41", "😀", "\uD800", "\uDC00"];

    private static IEnumerable<string> Texts()
    {
        for (int length = 0; length <= 100; length++)
        {
            string plain = string.Concat(Enumerable.Range(0, length).Select(i => (char)(' ' + i % 90)));
            yield return plain;
            for (int at = 0; at < length; at += length > 70 ? 7 : 1)
                foreach (string strange in s_strange) yield return plain[..at] + strange + plain[(at + 1)..];
        }
        yield return new string('x', 254);
        yield return new string('x', 255);
        yield return new string('ä', 5000);
    }

    [Fact]
    public void What_is_written_is_what_the_strict_encoder_writes()
    {
        UTF8Encoding strict = new(false, throwOnInvalidBytes: true);
        SegmentList list = new();
        foreach (string text in Texts())
        {
            byte[]? utf8 = null;
            try
            {
                utf8 = strict.GetBytes(text);
            }
            catch (EncoderFallbackException)
            {
            }
            byte[] expected = utf8 is null ? [] : [.. Prefixed(utf8), .. utf8];
            Check(() => Write(new Appender(list)));
            // Not a byte more than is needed.
            Check(() => Write(new ReservedAppender(list, expected.Length)));
            Check(() => Write(new UnsafeAppender(list, expected.Length)));

            void Write<TAppender>(TAppender to)
                where TAppender : struct, IAppender, allows ref struct
            {
                using TAppender writing = to;
                writing.WriteText(text);
                writing.WriteUtf8(text);
                writing.Commit();
            }

            void Check(Action write)
            {
                list.Clear();
                if (utf8 is null) Assert.ThrowsAny<ArgumentException>(write);
                else write();
                Assert.Equal(expected, list.ToArray());
            }
        }
    }

    private static byte[] Prefixed(byte[] utf8)
    {
        byte[] whole = new byte[PackedLength.MaxSize + utf8.Length];
        int size = PackedLength.Write(whole, utf8.Length);
        utf8.CopyTo(whole, size);
        return whole[..(size + utf8.Length)];
    }

    [Fact]
    public void A_reservation_one_byte_too_small_refuses_a_text_or_block_and_an_exact_one_takes_it()
    {
        // 85 characters of three bytes are 255 bytes, the first length that takes more than one byte.
        int[] lengths = [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 32, 33, 63, 64, 65, 83, 84, 85, 86, 127, 128, 254, 255, 256];
        foreach (int length in lengths)
            foreach (char c in "aä€")
            {
                string text = new(c, length);
                byte[] utf8 = Encoding.UTF8.GetBytes(text), prefixed = Prefixed(utf8);
                Fits(prefixed, (ref ReservedAppender to) => to.WriteText(text));
                Fits(prefixed, (ref ReservedAppender to) => to.WriteBlock(utf8));
                Fits(utf8, (ref ReservedAppender to) => to.WriteUtf8(text));
            }
    }

    private delegate void Use(ref ReservedAppender to);

    private static void Fits(byte[] expected, Use write)
    {
        for (int room = Math.Max(expected.Length - 1, 0); room <= expected.Length + 1; room++)
        {
            SegmentList list = new();
            string? said = null;
            ReservedAppender to = new(list, room);
            try
            {
                write(ref to);
                to.Commit();
            }
            catch (InvalidOperationException thrown)
            {
                said = thrown.Message;
            }
            if (room < expected.Length) Assert.Contains("The reservation has", said);
            else Assert.Null(said);
            Assert.Equal(said is null ? expected : [], list.ToArray());
        }
    }

    [Fact]
    public void A_byte_that_is_no_text_is_seen_at_every_place_of_every_length()
    {
        for (int length = 1; length <= 80; length++)
            for (int at = 0; at < length; at++)
            {
                byte[] source = [(byte)length, .. Enumerable.Repeat((byte)'a', length)];
                // Alone among ASCII, this is not UTF-8.
                source[1 + at] = 0x80;
                SpanReader from = new(source);
                Assert.Equal(OperationStatus.InvalidData, from.Answer(from.TryReadText(out string? text)));
                Assert.Equal((null, 0), (text, from.Position));
            }
    }

    [Fact]
    public void What_is_read_is_what_the_strict_decoder_reads_and_no_byte_behind_the_end() => Child.Run(Read).AssertSucceeded();

    private static unsafe void Read(string[] _)
    {
        using GuardedMemory guarded = new(8192);
        foreach (string text in Texts())
        {
            byte[] utf8 = Encoding.UTF8.GetBytes(text);
            if (utf8.Length > 150) continue;
            for (int change = -1; change < utf8.Length; change += utf8.Length > 20 ? 5 : 1)
            {
                byte[] bytes = [(byte)utf8.Length, .. utf8];
                if (change >= 0) bytes[1 + change] ^= 0x80;
                Span<byte> source = ReaderTests.AtEnd(guarded, bytes.Length);
                bytes.CopyTo(source);
                // What no strict decoder takes comes back as other bytes, since U+FFFD was put in its place.
                string? expected = Encoding.UTF8.GetString(bytes.AsSpan(1));
                if (!Encoding.UTF8.GetBytes(expected).AsSpan().SequenceEqual(bytes.AsSpan(1))) expected = null;
                SpanReader span = new(source);
                Assert.Equal(expected is null ? OperationStatus.InvalidData : OperationStatus.Done,
                    span.Answer(span.TryReadText(out string? found)));
                Assert.Equal((expected, expected is null ? 0 : bytes.Length), (found, (int)span.Position));
                foreach (int cut in new[] { bytes.Length + 1, 3 })
                {
                    SegmentReader pieces = new(ReaderTests.Cut([.. bytes, 1], cut));
                    Assert.Equal(expected is null ? OperationStatus.InvalidData : OperationStatus.Done,
                        pieces.Answer(pieces.TryReadText(out found)));
                    Assert.Equal((expected, expected is null ? 0 : bytes.Length), (found, (int)pieces.Position));
                }
            }
        }
    }

    [Fact]
    public void The_short_way_writes_no_byte_outside_the_text() => Child.Run(Write).AssertSucceeded();

    private static unsafe void Write(string[] _)
    {
        using GuardedMemory guarded = new(256), chars = new(256);
        for (int length = 0; length <= 64; length++)
        {
            Span<char> text = new(chars.EndingAtGuard(2 * length), length);
            for (int i = 0; i < length; i++) text[i] = (char)('A' + i % 50);
            byte* at = guarded.EndingAtGuard(length);
            byte before = at[-1] = 0xEE;
            byte* end = Utf8Text.TryWriteShort(at, at + length, text, withLength: false);
            // Up to 7 characters go by words, which need no vectors.
            Assert.Equal(length < 8 || System.Runtime.Intrinsics.Vector128.IsHardwareAccelerated, end != null);
            if (end == null) continue;
            Assert.Equal((nint)(at + length), (nint)end);
            Assert.Equal(before, at[-1]);
            for (int i = 0; i < length; i++) Assert.Equal((byte)text[i], at[i]);
            Assert.True(Utf8Text.TryWriteShort(at, at + length, text, withLength: true) == null);
        }
    }
}
