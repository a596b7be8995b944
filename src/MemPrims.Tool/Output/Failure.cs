namespace MemPrims.Tool.Output;

// What the user can put right.
internal sealed class UsageException(string message) : Exception(message);

// Errors as one line on standard error, and the exit code that goes with them.
internal static class Failure
{
    public static int Tell(int code, string message)
    {
        Line($"memprims: {Printable.Text(message.ReplaceLineEndings(" "))}");
        return code;
    }

    // A line on standard error. Where that is full or closed nobody can be told, and the exit code still tells.
    public static void Line(string text)
    {
        try
        {
            Console.Error.WriteLine(text);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException) { }
    }

    // The exit code of an error that has a message for the user; null where it is a fault of this program.
    // A file that comes as far as a reader has begun as one of ours. So NotThisFormat is damage by then.
    public static int? CodeOf(Exception e) => e switch
    {
        DamagedDataException => Exit.Damaged,
        MappedFileException
        {
            Reason: MappedFileReason.NotThisFormat or MappedFileReason.Truncated or MappedFileReason.DamagedMeta
                or MappedFileReason.DamagedPage or MappedFileReason.DamagedRecord
        } => Exit.Damaged,
        UsageException or IOException or UnauthorizedAccessException or PlatformNotSupportedException => Exit.Usage,
        _ => null,
    };
}
