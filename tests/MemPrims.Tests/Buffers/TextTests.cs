using System.Buffers;
using System.Text;
using MemPrims.Buffers;
using MemPrims.Codecs;
using MemPrims.TestKit;

namespace MemPrims.Tests.Buffers;

/// <summary>Texts of every short length, with every kind of character at every place, written and read.</summary>
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
            Check(() =>
            {
                using Appender to = new(list);
                to.WriteText(text);
                to.WriteUtf8(text);
                to.Commit();
            });
            // Not a byte more than is needed.
            Check(() =>
            {
                using ReservedAppender to = new(list, expected.Length);
                to.WriteText(text);
                to.WriteUtf8(text);
                to.Commit();
            });
            Check(() =>
            {
                using UnsafeAppender to = new(list, expected.Length);
                to.WriteText(text);
                to.WriteUtf8(text);
                to.Commit();
            });

            void Check(Action write)
            {
                list.Clear();
                if (utf8 is null) Assert.ThrowsAny<ArgumentException>(write);
                else write();
                Assert.Equal(expected, list.ToArray());
            }
        }

        static byte[] Prefixed(byte[] utf8)
        {
            byte[] whole = new byte[PackedLength.MaxSize + utf8.Length];
            int size = PackedLength.Write(whole, utf8.Length);
            utf8.CopyTo(whole, size);
            return whole[..(size + utf8.Length)];
        }
    }

    [Fact]
    public void What_is_read_is_what_the_strict_decoder_reads_and_no_byte_behind_the_end() => Child.Run(Read).AssertSucceeded();

    private static unsafe void Read(string[] _)
    {
        UTF8Encoding strict = new(false, throwOnInvalidBytes: true);
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
                string? expected = null;
                try
                {
                    expected = strict.GetString(utf8.Length == 0 ? [] : bytes[1..]);
                }
                catch (DecoderFallbackException)
                {
                }
                SpanReader span = new(source);
                Assert.Equal(expected is null ? OperationStatus.InvalidData : OperationStatus.Done, span.TryReadText(out string? found));
                Assert.Equal((expected, expected is null ? 0 : bytes.Length), (found, (int)span.Position));
                foreach (int cut in new[] { bytes.Length + 1, 3 })
                {
                    SegmentReader pieces = new(ReaderTests.Cut([.. bytes, 1], cut));
                    Assert.Equal(expected is null ? OperationStatus.InvalidData : OperationStatus.Done, pieces.TryReadText(out found));
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
            bool isTaken = System.Runtime.Intrinsics.Vector128.IsHardwareAccelerated;
            Assert.Equal(isTaken || length == 0, end != null);
            if (end == null) continue;
            Assert.Equal((nint)(at + length), (nint)end);
            Assert.Equal(before, at[-1]);
            for (int i = 0; i < length; i++) Assert.Equal((byte)text[i], at[i]);
            Assert.True(Utf8Text.TryWriteShort(at, at + length, text, withLength: true) == null);
        }
    }
}
