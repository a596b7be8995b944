using System.Reflection;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using MemPrims.Wire.Tests.Generated;

namespace MemPrims.Wire.Tests;

// The schemas of the tests, as the generated code carries them: the very bytes that protoc wrote.
internal static class TestSchemas
{
    public static byte[] Set { get; } = SetOf(Everything3Reflection.Descriptor, Everything2Reflection.Descriptor);

    public static MessageSchema All { get; } = MessageSchema.Load(Set);

    // The files that RandomProtos made.
    public static FileDescriptor[] RandomFiles { get; } = [.. typeof(TestSchemas).Assembly.GetTypes()
        .Where(type => type.Name.StartsWith("Random") && type.Name.EndsWith("Reflection"))
        .Select(type => (FileDescriptor)type.GetProperty("Descriptor", BindingFlags.Public | BindingFlags.Static)!.GetValue(null)!)
        .OrderBy(file => file.Name)];

    public static MessageSchema Random { get; } = MessageSchema.Load(SetOf(RandomFiles));

    public static MessageType Everything3 => All["memprims.test.Everything3"];

    public static MessageType Everything2 => All["memprims.test2.Everything2"];

    public static MessageType Known => All["memprims.test.Known"];

    public static MessageType Order => All["memprims.test.Order"];

    public static byte[] SetOf(params FileDescriptor[] files)
    {
        FileDescriptorSet set = new();
        HashSet<string> seen = [];
        foreach (FileDescriptor file in files) Add(file);
        return set.ToByteArray();

        void Add(FileDescriptor file)
        {
            if (!seen.Add(file.Name)) return;
            foreach (FileDescriptor import in file.Dependencies) Add(import);
            set.File.Add(FileDescriptorProto.Parser.ParseFrom(file.SerializedData));
        }
    }
}
