using System.Text.Unicode;

namespace MemPrims.Records;

/// <summary>
/// A record in a transaction's copy of its page, for generated setters. It ends with the transaction: setting throws then.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly ref struct RecordSlot
{
    private readonly ref byte _start;
    private readonly WriteBatch _batch;

    internal RecordSlot(ref byte start, WriteBatch batch)
    {
        _start = ref start;
        _batch = batch;
    }

    /// <summary>A number at an offset of the fixed part.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public T Get<T>(int offset) where T : unmanaged
    {
        CheckOffset(offset, Unsafe.SizeOf<T>());
        if (!_batch.IsOpen) _batch.ThrowEnded();
        return Unsafe.ReadUnaligned<T>(ref Unsafe.Add(ref _start, offset));
    }

    /// <summary>Sets a number at an offset of the fixed part.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Set<T>(int offset, T value) where T : unmanaged => Put(offset, value);

    // Without the constraint, with which the precompiler would leave it out.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Put<T>(int offset, T value)
    {
        CheckOffset(offset, Unsafe.SizeOf<T>());
        if (!_batch.IsOpen) _batch.ThrowEnded();
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref _start, offset), value);
    }

    /// <summary>A value that is stored in other bits than it has in memory.</summary>
    public T Get<T, TBits, TFormat>(int offset) where TBits : unmanaged where TFormat : IStoredValue<T, TBits> =>
        View(offset, Unsafe.SizeOf<TBits>()).Get<T, TBits, TFormat>(offset);

    /// <summary>Sets a value that is stored in other bits than it has in memory.</summary>
    public void Set<T, TBits, TFormat>(int offset, T value) where TBits : unmanaged where TFormat : IStoredValue<T, TBits> =>
        Set(offset, TFormat.BitsOf(value));

    /// <summary>A boolean: any byte but 0 is true.</summary>
    public bool GetBoolean(int offset) => Get<byte>(offset) != 0;

    /// <summary>Sets a boolean.</summary>
    public void SetBoolean(int offset, bool value) => Set(offset, (byte)(value ? 1 : 0));

    /// <summary>A date.</summary>
    public DateTime GetDateTime(int offset) => View(offset, sizeof(ulong)).GetDateTime(offset);

    /// <summary>Sets a date.</summary>
    public void SetDateTime(int offset, DateTime value) => Set(offset, RecordFormat.FromDateTime(value));

    /// <summary>A fixed array, to be read and written in place until the transaction ends.</summary>
    public Span<T> GetArray<T>(int offset, int length) where T : unmanaged
    {
        RecordBytes record = View(offset, length * Unsafe.SizeOf<T>());
        _batch.GiveOut(ref _start);
        ReadOnlySpan<T> array = record.GetArray<T>(offset, length);
        // Over the slot's own bytes, which the garbage collector then knows to be in use.
        return MemoryMarshal.CreateSpan(ref Unsafe.As<byte, T>(ref Unsafe.Add(ref _start, offset)), array.Length);
    }

    /// <summary>A text or block of bytes, until it or another such field of the record is set.</summary>
    public ReadOnlySpan<byte> GetVariable(int offset)
    {
        RecordBytes record = View(offset, sizeof(uint));
        _batch.GiveOut(ref _start);
        ReadOnlySpan<byte> value = record.GetVariable(offset);
        return Bytes.Slice((int)Unsafe.ByteOffset(ref _start, ref MemoryMarshal.GetReference(value)), value.Length);
    }

    /// <summary>A text as a string. Bytes that are no UTF-8, which no setter takes, become U+FFFD.</summary>
    public string GetText(int offset) => View(offset, sizeof(uint)).GetText(offset);

    /// <summary>Sets a text from a string.</summary>
    public void SetText(int offset, string value)
    {
        if (value is null) throw new ArgumentNullException(nameof(value), $"{NameOf(offset)} cannot be null: no text is an empty one.");
        Span<byte> utf8 = stackalloc byte[PageHeader.Room];
        OperationStatus status = Utf8.FromUtf16(value, utf8, out int read, out int bytes, replaceInvalidSequences: false);
        if (status == OperationStatus.InvalidData || status == OperationStatus.NeedMoreData)
            throw new ArgumentException($"The text for {NameOf(offset)} has half a surrogate pair at {read}, which is no character.",
                nameof(value));
        if (status != OperationStatus.Done)
            throw new ArgumentException($"The text for {NameOf(offset)} has more than {PageHeader.Room} bytes as UTF-8, and no record "
                + "holds so many.", nameof(value));
        SetVariable(offset, utf8[..bytes]);
    }

    /// <summary>
    /// Sets a text or block of bytes. The tail is written anew with the fields in their order, so it never has holes; the value may be a
    /// field of this very record.
    /// </summary>
    public void SetVariable(int offset, ReadOnlySpan<byte> value)
    {
        using WriteBatch.Use use = _batch.Enter();
        _batch.ThrowIfEnded();
        VariableField[] fields = _batch.Layout.Variables;
        int index = 0;
        while (index < fields.Length && fields[index].Offset != offset) index++;
        if (index == fields.Length)
            throw new ArgumentOutOfRangeException(nameof(offset), offset, "No text or block has its descriptor there.");
        if (value.Length > fields[index].Max)
            throw new ArgumentException($"The value for {NameOf(offset)} has {value.Length} bytes, and the field holds "
                + $"{fields[index].Max} at most.", nameof(value));
        if (fields[index].IsText && !Utf8.IsValid(value))
            throw new ArgumentException($"The value for {NameOf(offset)} is not valid UTF-8: a field for any bytes is declared by "
                + "[Bytes].", nameof(value));
        Span<byte> rebuilt = stackalloc byte[PageHeader.Room];
        int end = 0;
        foreach (ref readonly VariableField field in fields.AsSpan())
        {
            ReadOnlySpan<byte> content = field.Offset == offset ? value : View(field.Offset, sizeof(uint)).GetVariable(field.Offset);
            // Only a damaged record has more in a field than its maximum: then the tail, which has room for all maxima, would overflow.
            if (content.Length > field.Max)
                throw new MappedFileException(MappedFileReason.DamagedRecord, _batch.Path,
                    $"A record is damaged under a right checksum: {NameOf(field.Offset)} has {content.Length} bytes of {field.Max} at "
                        + "most. Set that first.");
            content.CopyTo(rebuilt[end..]);
            end += content.Length;
        }
        int start = 0;
        foreach (ref readonly VariableField field in fields.AsSpan())
        {
            int length = field.Offset == offset ? value.Length : View(field.Offset, sizeof(uint)).GetVariable(field.Offset).Length;
            Unsafe.WriteUnaligned(ref Unsafe.Add(ref _start, field.Offset), (uint)start | ((uint)length << 16));
            start += length;
        }
        Span<byte> tail = Tail;
        rebuilt[..end].CopyTo(tail);
        tail[end..].Clear();
    }

    private string NameOf(int offset) =>
        $"{_batch.Layout.Name}.{Array.Find(_batch.Layout.Variables, field => field.Offset == offset).Name}";

    internal void Clear() => Bytes.Clear();

    internal Span<byte> Bytes => MemoryMarshal.CreateSpan(ref _start, _batch.RecordBytes);

    private Span<byte> Tail => Bytes[_batch.FixedBytes..];

    // Whoever reads bytes that need a check reads them as any reader does.
    private unsafe RecordBytes View(int offset, int bytes)
    {
        CheckOffset(offset, bytes);
        _batch.ThrowIfEnded();
        // Its memory is pinned, and the transaction's as long as that is open.
        return new((byte*)Unsafe.AsPointer(ref _start), _batch.State);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void CheckOffset(int offset, int bytes)
    {
        if ((ulong)(uint)offset + (uint)bytes > (uint)_batch.FixedBytes) ThrowOffset(offset, bytes);
    }

    private static void ThrowOffset(int offset, int bytes) =>
        throw new ArgumentOutOfRangeException(nameof(offset), offset, $"{bytes} bytes there are not within the record's fixed part.");
}
