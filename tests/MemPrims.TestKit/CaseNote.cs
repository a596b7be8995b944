using System.IO.MemoryMappedFiles;
using System.Text;

namespace MemPrims.TestKit;

// What a child process is doing, kept in a mapped file so that it outlives a crash. Setting it costs a few stores; a fault on a guard page
// cannot be caught, and this is how the parent learns of the case.
public static unsafe class CaseNote
{
    internal const string PathVariable = "MEMPRIMS_CASE_NOTE";
    private const int Numbers = 4, TextOffset = Numbers * sizeof(long), Size = 512;

    private static readonly byte* s_note = Open();
    private static string? s_what;

    public static void Set(string what, long a = 0, long b = 0, long c = 0, long d = 0)
    {
        if (s_note == null) return;
        if (!ReferenceEquals(what, s_what))
        {
            Span<byte> text = new(s_note + TextOffset, Size - TextOffset);
            text.Clear();
            Encoding.UTF8.GetBytes(what.AsSpan(0, Math.Min(what.Length, 150)), text);
            s_what = what;
        }
        ((long*)s_note)[0] = a;
        ((long*)s_note)[1] = b;
        ((long*)s_note)[2] = c;
        ((long*)s_note)[3] = d;
    }

    internal static string Read(string path)
    {
        if (!File.Exists(path)) return "(none noted)";
        byte[] note = File.ReadAllBytes(path);
        long[] numbers = [.. Enumerable.Range(0, Numbers).Select(i => BitConverter.ToInt64(note, i * sizeof(long)))];
        return $"{Encoding.UTF8.GetString(note.AsSpan(TextOffset)).TrimEnd('\0')} ({string.Join(", ", numbers)})";
    }

    private static byte* Open()
    {
        if (Environment.GetEnvironmentVariable(PathVariable) is not { } path) return null;
        MemoryMappedFile file = MemoryMappedFile.CreateFromFile(path, FileMode.Create, null, Size);
        byte* note = null;
        file.CreateViewAccessor().SafeMemoryMappedViewHandle.AcquirePointer(ref note);
        return note;
    }
}
