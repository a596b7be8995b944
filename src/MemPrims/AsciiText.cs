namespace MemPrims;

// Short ASCII text, chars to bytes and back. Most names and keys are such text, and the general encoders take longer to get started than
// to convert it. The test for ASCII is part of the conversion.
//
//   33 to 64  four vectors of 16 characters, two from the front and two from the back
//   17 to 32  two of them, one from each end
//   8 to 16   two vectors of 8 characters
//   4 to 7    two words of 4 characters
//   1 to 3    the first, the middle and the last character
//
// Vectors overlap where they have to, so there is no loop, and no byte outside the text is touched.
internal static unsafe class AsciiText
{
    // The most characters that are converted here.
    public const int Longest = 64;

    private const ulong NotAscii16 = 0xFF80_FF80_FF80_FF80, NotAscii8 = 0x8080_8080_8080_8080;

    // Writes as many bytes as the text has characters. False: the text is longer than Longest or is not ASCII. Then those bytes have no
    // meaning.
    // Two methods: the first one with vectors waits up to 2 ms for the runtime to load their types, and most names are short.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryWrite(byte* to, ReadOnlySpan<char> text) =>
        text.Length < 8 ? TryWriteWords(to, text) : TryWriteVectors(to, text);

    private static bool TryWriteWords(byte* to, ReadOnlySpan<char> text)
    {
        int length = text.Length;
        fixed (char* chars = text)
        {
            if (length >= 4)
            {
                ulong first = Unsafe.ReadUnaligned<ulong>(chars), last = Unsafe.ReadUnaligned<ulong>(chars + length - 4);
                Unsafe.WriteUnaligned(to, Narrow(first));
                Unsafe.WriteUnaligned(to + length - 4, Narrow(last));
                return ((first | last) & NotAscii16) == 0;
            }
            if (length == 0) return true;
            uint a = chars[0], b = chars[length >> 1], c = chars[length - 1];
            to[0] = (byte)a;
            to[length >> 1] = (byte)b;
            to[length - 1] = (byte)c;
            return (a | b | c) < 0x80;
        }
    }

    private static bool TryWriteVectors(byte* to, ReadOnlySpan<char> text)
    {
        int length = text.Length;
        if (length > Longest || !Vector128.IsHardwareAccelerated) return false;
        fixed (char* chars = text)
        {
            ushort* from = (ushort*)chars;
            if (length > 16)
            {
                Vector128<ushort> all = Narrow(from, to) | Narrow(from + length - 16, to + length - 16);
                if (length > 32) all |= Narrow(from + 16, to + 16) | Narrow(from + length - 32, to + length - 32);
                return IsAscii(all);
            }
            Vector128<ushort> first = Vector128.Load(from), last = Vector128.Load(from + length - 8);
            Vector128<ulong> bytes = Narrow(first, last).AsUInt64();
            Unsafe.WriteUnaligned(to, bytes.ToScalar());
            Unsafe.WriteUnaligned(to + length - 8, bytes.GetElement(1));
            return IsAscii(first | last);
        }
    }

    // The text, or null if it is longer than Longest or is not ASCII.
    public static string? TryRead(ReadOnlySpan<byte> source)
    {
        if (source.IsEmpty) return "";
        if (source.Length > Longest || !Vector128.IsHardwareAccelerated) return null;
        return IsAscii(source) ? string.Create(source.Length, source, static (chars, bytes) => Widen(bytes, chars)) : null;
    }

    private static bool IsAscii(ReadOnlySpan<byte> source)
    {
        ref byte from = ref MemoryMarshal.GetReference(source);
        int length = source.Length;
        if (length > 16)
        {
            Vector128<byte> all = Vector128.LoadUnsafe(ref from) | Vector128.LoadUnsafe(ref from, (nuint)length - 16);
            if (length > 32) all |= Vector128.LoadUnsafe(ref from, 16) | Vector128.LoadUnsafe(ref from, (nuint)length - 32);
            return all.ExtractMostSignificantBits() == 0;
        }
        ulong bits = length >= 8 ? Load<ulong>(ref from, 0) | Load<ulong>(ref from, length - 8)
            : length >= 4 ? Load<uint>(ref from, 0) | Load<uint>(ref from, length - 4)
            : (ulong)from | Unsafe.Add(ref from, length >> 1) | Unsafe.Add(ref from, length - 1);
        return (bits & NotAscii8) == 0;
    }

    private static void Widen(ReadOnlySpan<byte> source, Span<char> chars)
    {
        ref byte from = ref MemoryMarshal.GetReference(source);
        ref ushort to = ref Unsafe.As<char, ushort>(ref MemoryMarshal.GetReference(chars));
        int length = source.Length;
        if (length > 16)
        {
            WidenSixteen(ref from, ref to, 0);
            if (length > 32)
            {
                WidenSixteen(ref from, ref to, 16);
                WidenSixteen(ref from, ref to, length - 32);
            }
            WidenSixteen(ref from, ref to, length - 16);
        }
        else if (length >= 8)
        {
            ulong first = Load<ulong>(ref from, 0), last = Load<ulong>(ref from, length - 8);
            Vector128.WidenLower(Vector128.CreateScalar(first).AsByte()).StoreUnsafe(ref to);
            Vector128.WidenLower(Vector128.CreateScalar(last).AsByte()).StoreUnsafe(ref to, (nuint)length - 8);
        }
        else if (length >= 4)
        {
            Vector128<ulong> words = Vector128.WidenLower(Vector128.Create(Load<uint>(ref from, 0), Load<uint>(ref from, length - 4), 0, 0)
                .AsByte()).AsUInt64();
            Unsafe.WriteUnaligned(ref Unsafe.As<ushort, byte>(ref to), words[0]);
            Unsafe.WriteUnaligned(ref Unsafe.As<ushort, byte>(ref Unsafe.Add(ref to, length - 4)), words[1]);
        }
        else
        {
            to = from;
            Unsafe.Add(ref to, length >> 1) = Unsafe.Add(ref from, length >> 1);
            Unsafe.Add(ref to, length - 1) = Unsafe.Add(ref from, length - 1);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ushort> Narrow(ushort* from, byte* to)
    {
        Vector128<ushort> low = Vector128.Load(from), high = Vector128.Load(from + 8);
        Narrow(low, high).StoreUnsafe(ref *to);
        return low | high;
    }

    // Four characters of ASCII.
    private static uint Narrow(ulong four)
    {
        four |= four >> 8;
        return (uint)(four & 0xFFFF | four >> 16 & 0xFFFF_0000);
    }

    // Of ASCII. By saturation, which is one instruction everywhere: Vector128.Narrow asks for AVX-512, which precompiled code may not.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<byte> Narrow(Vector128<ushort> low, Vector128<ushort> high) =>
        Vector128.NarrowWithSaturation(low.AsInt16(), high.AsInt16()).AsByte();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool IsAscii(Vector128<ushort> all) => (all.AsUInt64() & Vector128.Create(NotAscii16)) == Vector128<ulong>.Zero;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void WidenSixteen(ref byte from, ref ushort to, int at)
    {
        Vector128<byte> sixteen = Vector128.LoadUnsafe(ref from, (nuint)at);
        Vector128.WidenLower(sixteen).StoreUnsafe(ref to, (nuint)at);
        Vector128.WidenUpper(sixteen).StoreUnsafe(ref to, (nuint)at + 8);
    }

    private static T Load<T>(ref byte from, int at)
        where T : unmanaged => Unsafe.ReadUnaligned<T>(ref Unsafe.Add(ref from, at));
}
