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
        long budget = Math.Min(options.MaxBytes, Array.MaxLength - 1);
        long expected = stream.CanSeek ? stream.Length - stream.Position : 0;
        // A byte more than is allowed says that the stream goes on.
        byte[] buffer = new byte[Math.Min(budget, Math.Max(4096, expected)) + 1];
        for (int length = 0; ;)
        {
            int read = stream.Read(buffer, length, buffer.Length - length);
            if (read == 0) return buffer.AsMemory(0, length);
            length += read;
            if (length > budget) throw WireErrors.TooLarge(length, budget);
            if (length == buffer.Length) Array.Resize(ref buffer, (int)Math.Min(budget + 1, 2L * length));
        }
    }
}
