namespace MemPrims.Tests;

// Hands out blocks of every length 0–1100, and of some up to 20,000, that start or end at a page which cannot be touched. For child
// processes: a touch ends them.
internal static unsafe class GuardSweep
{
    public const int Longest = 20_000;

    // Beyond 1100 in steps that take all remainders of a vector in turn.
    private static readonly int[] s_lengths = [.. Enumerable.Range(0, 1101), .. Enumerable.Range(0, 300).Select(i => 1101 + i * 63)];

    // Each of two blocks starts at a guard (0) or ends at one (1).
    private static readonly (int First, int Second)[] s_placements = [(0, 0), (0, 1), (1, 0), (1, 1)];

    public delegate void OneBlock(byte* block, nint length);

    public delegate void TwoBlocks(byte* first, byte* second, nint length);

    public static void Run(string subject, OneBlock touch)
    {
        using GuardedMemory memory = new(Longest);
        string note = $"{subject}: length; block ends at a guard";
        foreach (int length in s_lengths)
            for (int atEnd = 0; atEnd <= 1; atEnd++)
            {
                CaseNote.Set(note, length, atEnd);
                touch(Place(memory, length, atEnd), length);
            }
    }

    public static void Run(string subject, TwoBlocks touch)
    {
        using GuardedMemory first = new(Longest), second = new(Longest);
        string note = $"{subject}: length; first, second block ends at a guard";
        foreach (int length in s_lengths)
            foreach ((int firstAtEnd, int secondAtEnd) in s_placements)
            {
                CaseNote.Set(note, length, firstAtEnd, secondAtEnd);
                touch(Place(first, length, firstAtEnd), Place(second, length, secondAtEnd), length);
            }
    }

    private static byte* Place(GuardedMemory memory, int length, int atEnd) => atEnd == 1 ? memory.EndingAtGuard(length) : memory.Start;
}
