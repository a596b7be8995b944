using System.Text;

namespace MemPrims.Records;

/// <summary>
/// A record in a mapped page, for the generated <c>View</c>. Safe on any bytes: an offset outside the file's version of the record gives
/// the default, a descriptor that points outside the tail is a <see cref="MappedFileReason.DamagedRecord"/>.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly unsafe ref struct RecordBytes
{
    private readonly byte* _start;
    private readonly FileState _state;

    internal RecordBytes(byte* start, FileState state)
    {
        _start = start;
        _state = state;
    }

    /// <summary>The bytes in the file: the fixed part, then the tail. For tools that do not know the record's fields.</summary>
    public ReadOnlySpan<byte> Raw => new(_start, _state.RecordBytes);

    /// <summary>A number at an offset of the fixed part; the default when the record is older than the field.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public T Get<T>(int offset) where T : unmanaged =>
        (uint)offset + (uint)sizeof(T) <= (uint)_state.FixedBytes ? Unsafe.ReadUnaligned<T>(_start + offset) : default;

    /// <summary>A value that is stored in other bits than it has in memory.</summary>
    public T Get<T, TBits, TFormat>(int offset) where TBits : unmanaged where TFormat : IStoredValue<T, TBits> =>
        TFormat.TryRead(Get<TBits>(offset), out T value) ? value
            : throw Damaged($"the {typeof(T).Name} at offset {offset} is out of range", 0);

    /// <summary>A text as a string. Bytes that are no UTF-8, which no setter takes, become U+FFFD.</summary>
    public string GetText(int offset) => Encoding.UTF8.GetString(GetVariable(offset));

    /// <summary>A boolean: any byte but 0 is true.</summary>
    public bool GetBoolean(int offset) => Get<byte>(offset) != 0;

    /// <summary>A date: ticks in the low 62 bits, the kind above.</summary>
    public DateTime GetDateTime(int offset)
    {
        ulong bits = Get<ulong>(offset);
        return RecordFormat.IsDateTime(bits) ? RecordFormat.ToDateTime(bits)
            : throw Damaged($"the date at offset {offset} is out of range", bits);
    }

    /// <summary>A fixed array; zeros when the record is older than the field.</summary>
    public ReadOnlySpan<T> GetArray<T>(int offset, int length) where T : unmanaged
    {
        int bytes = length * sizeof(T);
        ReadOnlySpan<byte> array = (ulong)(uint)offset + (uint)bytes <= (uint)_state.FixedBytes ? new(_start + offset, bytes)
            : RecordFormat.Zeros(bytes);
        if (!RecordFormat.IsArrayOf<T>(array)) throw Damaged($"the array at offset {offset} holds what no {typeof(T).Name} is", 0);
        return MemoryMarshal.Cast<byte, T>(array);
    }

    /// <summary>A text or block of bytes; empty when the record is older than the field.</summary>
    public ReadOnlySpan<byte> GetVariable(int offset)
    {
        uint descriptor = Get<uint>(offset);
        uint from = descriptor & 0xFFFF, length = descriptor >> 16;
        uint tail = (uint)(_state.RecordBytes - _state.FixedBytes);
        return from + length <= tail ? new(_start + _state.FixedBytes + from, (int)length)
            : throw Damaged($"the field at offset {offset} claims bytes {from} to {from + length} of a tail of {tail}", descriptor);
    }

    private MappedFileException Damaged(string what, ulong actual)
    {
        // Pages lie at multiples of their size in memory as in the file.
        PageHeader* page = (PageHeader*)((nint)_start & ~(nint)(PageHeader.PageBytes - 1));
        long record = (_start - (byte*)page - PageHeader.Size) / _state.RecordBytes + (long)page->Page * _state.RecordsPerPage;
        return new(MappedFileReason.DamagedRecord, _state.Path,
            $"Record {record} is damaged under a right checksum: {what}. Set that anew", page->Page, null, actual);
    }
}
