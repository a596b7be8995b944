using System.Buffers.Binary;
using MemPrims.Wire;
using MemPrims.Wire.Conformance;

// The testee of the protobuf project's conformance_test_runner: requests and responses behind 4-byte little-endian lengths on standard
// input and output. The argument is a descriptor set with conformance.proto and the test messages. Run it as: conformance_test_runner
// --enforce_recommended <script> <set>, with a script that starts this program by `dotnet`.
if (args.Length == 0 || !File.Exists(args[0]))
{
    Console.Error.WriteLine("Give the descriptor set that holds the conformance messages: "
        + "protoc --include_imports --descriptor_set_out=… conformance.proto test_messages_proto*.proto");
    return 2;
}
Testee testee = new(MessageSchema.Load(File.ReadAllBytes(args[0])));
using Stream input = Console.OpenStandardInput(), output = Console.OpenStandardOutput();
byte[] length = new byte[4];
while (input.ReadAtLeast(length, 4, throwOnEndOfStream: false) == 4)
{
    byte[] request = new byte[BinaryPrimitives.ReadInt32LittleEndian(length)];
    input.ReadExactly(request);
    byte[] response = testee.Answer(request);
    BinaryPrimitives.WriteInt32LittleEndian(length, response.Length);
    output.Write(length);
    output.Write(response);
    output.Flush();
}
return 0;
