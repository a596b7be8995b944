using System.Buffers;

namespace MemPrims.Wire;

// Puts a message that comes in pieces into one array, within its budget.
internal static class Gathering
{
    public static byte[] ToArray(in ReadOnlySequence<byte> sequence, DecodeOptions options)
    {
        if (sequence.Length > options.MaxBytes || sequence.Length > Array.MaxLength)
            WireErrors.TooLarge(sequence.Length, Math.Min(options.MaxBytes, Array.MaxLength));
        return sequence.ToArray();
    }

    // The bytes themselves if they lie in one segment; else gathered.
    public static ReadOnlySpan<byte> ToSpan(in ReadOnlySequence<byte> sequence, DecodeOptions? options)
    {
        options ??= DecodeOptions.Default;
        if (!sequence.IsSingleSegment) return ToArray(in sequence, options);
        if (sequence.Length > options.MaxBytes) WireErrors.TooLarge(sequence.Length, options.MaxBytes);
        return sequence.FirstSpan;
    }

    public static ReadOnlyMemory<byte> Read(Stream stream, DecodeOptions options)
    {
        ArgumentNullException.ThrowIfNull(stream);
        long budget = Math.Min(options.MaxBytes, Array.MaxLength);
        byte[] buffer = new byte[Math.Min(4096, budget + 1)];
        int length = 0;
        for (int read; (read = stream.Read(buffer, length, buffer.Length - length)) > 0;)
        {
            length += read;
            if (length > budget) WireErrors.TooLarge(length, budget);
            if (length == buffer.Length) Array.Resize(ref buffer, (int)Math.Min(budget + 1, 2L * length));
        }
        return buffer.AsMemory(0, length);
    }
}
