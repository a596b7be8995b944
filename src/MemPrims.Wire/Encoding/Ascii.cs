namespace MemPrims.Wire;

// Short ASCII text between UTF-16 and UTF-8, without a call into the encodings. With 512 bits, up to 32 characters are one masked load
// and store, without a branch on the length, which varies. Else two loads that may overlap cover 8 to 16 characters, two of 4 cover 4 to
// 7, longer text goes by 16. What is not ASCII is left to the caller, who takes the framework's encodings.
// Turning UTF-16 into UTF-8 was half of the encode of 25 mixed fields by Encoding.UTF8: it counts first, then converts.
internal static unsafe class Ascii
{
    // Characters that a masked vector takes.
    private const int Widest = 32;

    private const ulong NotAscii16 = 0xFF80_FF80_FF80_FF80, NotAscii8 = 0x8080_8080_8080_8080;

    private static bool Has512 => Vector512.IsHardwareAccelerated && Avx512BW.VL.IsSupported;

    // Writes text as one byte per character; false if it is not ASCII: then the bytes are of no use.
    public static bool TryNarrow(ref char text, nint length, byte* to)
    {
        ref ushort from = ref Unsafe.As<char, ushort>(ref text);
        if (Has512 && length <= Widest)
        {
            Vector512<ushort> lanes = Vector512.LessThan(Vector512<ushort>.Indices, Vector512.Create((ushort)length)), wide;
            fixed (ushort* at = &from) wide = Avx512BW.MaskLoad(at, lanes, Vector512<ushort>.Zero);
            Avx512BW.VL.MaskStore(to, Avx512BW.ConvertToVector256Byte(lanes), Avx512BW.ConvertToVector256Byte(wide));
            return (wide & Vector512.Create((ushort)0xFF80)) == Vector512<ushort>.Zero;
        }
        if (length >= 8 && Vector128.IsHardwareAccelerated)
        {
            if (length <= 16)
            {
                Vector128<ushort> head = Vector128.LoadUnsafe(ref from), tail = Vector128.LoadUnsafe(ref from, (nuint)length - 8);
                Vector128<byte> bytes = Vector128.Narrow(head, tail);
                Unsafe.WriteUnaligned(to, bytes.AsUInt64().GetElement(0));
                Unsafe.WriteUnaligned(to + length - 8, bytes.AsUInt64().GetElement(1));
                return ((head | tail) & Vector128.Create((ushort)0xFF80)) == Vector128<ushort>.Zero;
            }
            Vector128<ushort> seen = default;
            for (nint i = 0; i < length - 16; i += 16) seen |= Narrow16(ref from, i, to);
            seen |= Narrow16(ref from, length - 16, to);
            return (seen & Vector128.Create((ushort)0xFF80)) == Vector128<ushort>.Zero;
        }
        if (length >= 4)
        {
            ulong seen = 0;
            for (nint i = 0; i < length - 4; i += 4) seen |= Narrow4(ref from, i, to);
            seen |= Narrow4(ref from, length - 4, to);
            return (seen & NotAscii16) == 0;
        }
        uint all = 0;
        for (nint i = 0; i < length; i++)
        {
            ushort c = Unsafe.Add(ref from, i);
            all |= c;
            to[i] = (byte)c;
        }
        return all < 0x80;
    }

    public static string MakeString(ReadOnlySpan<byte> utf8)
    {
        if (utf8.IsEmpty) return "";
        fixed (byte* from = utf8) return TryMakeString(from, utf8.Length) ?? Encoding.UTF8.GetString(utf8);
    }

    // The text of bytes that are all ASCII, at least one; null where they are not.
    public static string? TryMakeString(byte* from, int length)
    {
        if (Has512 && length <= Widest)
        {
            Vector256<byte> lanes = Vector256.LessThan(Vector256<byte>.Indices, Vector256.Create((byte)length));
            Vector256<byte> bytes = Avx512BW.VL.MaskLoad(from, lanes, Vector256<byte>.Zero);
            if ((bytes & Vector256.Create((byte)0x80)) != Vector256<byte>.Zero) return null;
            string made = new('\0', length);
            Vector512<ushort> wideLanes = Vector512.LessThan(Vector512<ushort>.Indices, Vector512.Create((ushort)length));
            fixed (char* at = made) Avx512BW.MaskStore((ushort*)at, wideLanes, Avx512BW.ConvertToVector512UInt16(bytes));
            return made;
        }
        if (!IsAscii(from, length)) return null;
        // A new string is zeroed and nobody else has it yet: this is what string.Create does, without its delegate.
        string text = new('\0', length);
        ref ushort to = ref Unsafe.As<char, ushort>(ref MemoryMarshal.GetReference(text.AsSpan()));
        if (length >= 8 && Vector128.IsHardwareAccelerated)
        {
            for (int i = 0; i < length - 8; i += 8) Widen8(from, i, ref to);
            Widen8(from, length - 8, ref to);
        }
        else
        {
            for (int i = 0; i < length; i++) Unsafe.Add(ref to, i) = from[i];
        }
        return text;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsUtf8(ReadOnlySpan<byte> text)
    {
        fixed (byte* from = text) return IsAscii(from, text.Length) || IsOtherUtf8(text);
    }

    // Copies at most 32 bytes without a branch on their number, if it can: false, and nothing is written, if not.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryCopy(ref byte from, int length, byte* to)
    {
        if (!Has512 || length > Widest) return false;
        Vector256<byte> lanes = Vector256.LessThan(Vector256<byte>.Indices, Vector256.Create((byte)length));
        fixed (byte* at = &from) Avx512BW.VL.MaskStore(to, lanes, Avx512BW.VL.MaskLoad(at, lanes, Vector256<byte>.Zero));
        return true;
    }

    // Copies at most 32 bytes of an array to the 32 bytes below end, without a branch on their number. The bytes below the copy become
    // anything: two vectors are copied, the last one and the one before it. They may begin up to 16 bytes before the data of the array.
    // There lies its header, so they stay in the object.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void CopyBackward(byte[] array, int offset, int length, byte* end)
    {
        ref byte from = ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(array), offset);
        int first = Math.Max(length - 32, -16);
        Vector128<byte> head = Vector128.LoadUnsafe(ref Unsafe.Add(ref from, first)),
            tail = Vector128.LoadUnsafe(ref Unsafe.Add(ref from, length - 16));
        head.StoreUnsafe(ref *(end - length + first));
        tail.StoreUnsafe(ref *(end - 16));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsOtherUtf8(ReadOnlySpan<byte> text) => Utf8.IsValid(text);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool IsAscii(byte* from, int length)
    {
        if (!Has512 || length > Widest) return IsAsciiByLength(from, length);
        Vector256<byte> lanes = Vector256.LessThan(Vector256<byte>.Indices, Vector256.Create((byte)length));
        return (Avx512BW.VL.MaskLoad(from, lanes, Vector256<byte>.Zero) & Vector256.Create((byte)0x80)) == Vector256<byte>.Zero;
    }

    private static bool IsAsciiByLength(byte* from, int length)
    {
        if (length >= 16 && Vector128.IsHardwareAccelerated)
        {
            Vector128<byte> seen = Vector128.Load(from + length - 16);
            for (int i = 0; i < length - 16; i += 16) seen |= Vector128.Load(from + i);
            return (seen & Vector128.Create((byte)0x80)) == Vector128<byte>.Zero;
        }
        if (length >= 8)
        {
            ulong seen = Unsafe.ReadUnaligned<ulong>(from + length - 8);
            for (int i = 0; i < length - 8; i += 8) seen |= Unsafe.ReadUnaligned<ulong>(from + i);
            return (seen & NotAscii8) == 0;
        }
        if (length >= 4) return ((Unsafe.ReadUnaligned<uint>(from) | Unsafe.ReadUnaligned<uint>(from + length - 4)) & 0x8080_8080) == 0;
        uint all = 0;
        for (int i = 0; i < length; i++) all |= from[i];
        return all < 0x80;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<ushort> Narrow16(ref ushort from, nint at, byte* to)
    {
        Vector128<ushort> low = Vector128.LoadUnsafe(ref from, (nuint)at), high = Vector128.LoadUnsafe(ref from, (nuint)at + 8);
        Vector128.Narrow(low, high).Store(to + at);
        return low | high;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Narrow4(ref ushort from, nint at, byte* to)
    {
        ulong four = Unsafe.ReadUnaligned<ulong>(ref Unsafe.As<ushort, byte>(ref Unsafe.Add(ref from, at)));
        ulong pairs = (four | four >> 8) & 0x0000_FFFF_0000_FFFF;
        Unsafe.WriteUnaligned(to + at, (uint)(pairs | pairs >> 16));
        return four;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Widen8(byte* from, int at, ref ushort to)
    {
        Vector128<byte> eight = Vector128.CreateScalarUnsafe(Unsafe.ReadUnaligned<ulong>(from + at)).AsByte();
        Vector128.WidenLower(eight).StoreUnsafe(ref to, (nuint)at);
    }
}
