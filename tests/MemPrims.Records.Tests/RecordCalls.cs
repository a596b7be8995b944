namespace MemPrims.Records.Tests;

// Calls of a file that is opened for reading just for them.
internal static class RecordCalls
{
    public static void Verify<T>(string path) where T : IMappedRecord<T>, allows ref struct
    {
        using MappedFile<T> file = MappedFile<T>.OpenRead(path);
        file.Verify();
    }

    public static void CopyTo<T>(string path, string newPath) where T : IMappedRecord<T>, allows ref struct
    {
        using MappedFile<T> file = MappedFile<T>.OpenRead(path);
        file.CopyTo(newPath);
    }
}
