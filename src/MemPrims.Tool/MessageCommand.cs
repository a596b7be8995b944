using System.Text.Unicode;
using MemPrims.Wire;

namespace MemPrims.Tool;

// `message decode --schema SET --type NAME FILE`: a protobuf message as JSON.
internal static class MessageCommand
{
    // schemaPath: a FileDescriptorSet, as `protoc --descriptor_set_out --include_imports` writes it.
    // path: the message; "-": standard input.
    public static int Decode(string schemaPath, string typeName, string path, bool compact)
    {
        MessageSchema schema = Read(schemaPath, bytes => LooksLikeSource(bytes) ? throw new UsageException(
            $"{schemaPath} is the text of a schema. Compile it: protoc --include_imports --descriptor_set_out=schema.pb {schemaPath}")
            : MessageSchema.Load(bytes));
        if (!schema.TryGetMessage(typeName, out MessageType? type))
            throw new UsageException($"{schemaPath} has no message type {typeName}. It has {Some(schema)}.");
        string json = Read(path, bytes => type.Decode(bytes).ToJson(new JsonWriteOptions { Indented = !compact }));
        Console.WriteLine(Printable.Json(json));
        return Exit.Ok;
    }

    // A descriptor set has small numbers in it, of fields and kinds. A .proto is text, and text has no bytes below the tabulator.
    private static bool LooksLikeSource(ReadOnlySpan<byte> bytes) =>
        Utf8.IsValid(bytes) && bytes.IndexOfAnyInRange((byte)0, (byte)8) < 0
        && (bytes.IndexOf("message "u8) >= 0 || bytes.IndexOf("enum "u8) >= 0 || bytes.IndexOf("import "u8) >= 0);

    private static T Read<T>(string path, Func<byte[], T> read)
    {
        byte[] bytes;
        if (path == "-")
        {
            using MemoryStream all = new();
            using Stream input = Console.OpenStandardInput();
            input.CopyTo(all);
            bytes = all.ToArray();
        }
        else
        {
            if (Directory.Exists(path)) throw new UsageException($"{path} is a folder. Give a file.");
            bytes = File.ReadAllBytes(path);
        }
        try
        {
            return read(bytes);
        }
        catch (WireException e)
        {
            // The library does not know which of the two files it reads.
            throw new DamagedDataException($"{path}: {e.Message}", e.Offset, e);
        }
    }

    private static string Some(MessageSchema schema)
    {
        const int most = 5;
        int more = schema.Messages.Count - most;
        string names = string.Join(", ", schema.Messages.Take(most).Select(message => message.FullName));
        return names.Length == 0 ? "none" : more > 0 ? $"{names} and {more} more" : names;
    }
}
