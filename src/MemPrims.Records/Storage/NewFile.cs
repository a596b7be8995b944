using System.Text;

namespace MemPrims.Records.Storage;

/// <summary>
/// A file that is made beside its name, synced, and gets the name when it is whole: nobody ever opens half a file, and a process that is
/// killed leaves none in the way of the next attempt.
/// </summary>
internal static class NewFile
{
    /// <param name="path">The name.</param>
    /// <param name="attempt">What fails when it fails, as in "make the file".</param>
    /// <param name="fill">Writes and syncs the file of the name that it is given, which it makes, and closes it.</param>
    /// <param name="replaces">Whether a file of that name is replaced. If not, it is an error.</param>
    public static void Make(string path, string attempt, Action<string> fill, bool replaces = false)
    {
        string full = Path.GetFullPath(path), beside = Beside(full);
        try
        {
            if (!replaces && File.Exists(full)) throw new IOException($"There is a file {full} already.", IoErrors.Exists);
            fill(beside);
            File.Move(beside, full, replaces);
            FileStorage.SyncFolderOf(full);
        }
        catch (Exception e)
        {
            File.Delete(beside);
            if (IoErrors.Of(e, full, attempt) is { } told) throw told;
            throw;
        }
    }

    // A long name loses its end: the system's names have at most 255 bytes.
    private static string Beside(string full)
    {
        const int mostBytes = 255;
        string end = $".{Guid.NewGuid():N}.new", name = Path.GetFileName(full);
        Rune[] runes = [.. name.EnumerateRunes()];
        int kept = runes.Length, bytes = runes.Sum(static rune => rune.Utf8SequenceLength);
        // A name that is too long itself is left to the system to refuse.
        if (bytes <= mostBytes)
            for (; bytes + end.Length > mostBytes; bytes -= runes[kept].Utf8SequenceLength) kept--;
        return Path.Combine(Path.GetDirectoryName(full) ?? "", string.Concat(runes[..kept]) + end);
    }
}
