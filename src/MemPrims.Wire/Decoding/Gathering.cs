namespace MemPrims.Wire;

// Puts a message that comes in pieces into one array, within its budget.
internal static class Gathering
{
    public static byte[] ToArray(in ReadOnlySequence<byte> sequence, DecodeOptions options)
    {
        if (sequence.Length > options.MaxBytes || sequence.Length > Array.MaxLength)
            throw WireErrors.TooLarge(sequence.Length, Math.Min(options.MaxBytes, Array.MaxLength));
        return sequence.ToArray();
    }

    public static ReadOnlyMemory<byte> Read(Stream stream, DecodeOptions options)
    {
        ArgumentNullException.ThrowIfNull(stream);
        long budget = Math.Min(options.MaxBytes, Array.MaxLength);
        long expected = stream.CanSeek ? stream.Length - stream.Position : 0;
        byte[] buffer = new byte[Math.Min(budget, Math.Max(4096, expected))];
        int length = 0;
        while (true)
        {
            int read = length < buffer.Length ? stream.Read(buffer, length, buffer.Length - length) : 0;
            length += read;
            if (read > 0) continue;
            // The end, or a full buffer: then a byte more says that the stream goes on.
            byte[] next = new byte[1];
            if (length < buffer.Length || stream.Read(next, 0, 1) == 0) return buffer.AsMemory(0, length);
            if (length == budget) throw WireErrors.TooLarge(length + 1L, budget);
            Array.Resize(ref buffer, (int)Math.Min(budget, Math.Max(4096, 2L * length)));
            buffer[length++] = next[0];
        }
    }
}
