using MemPrims.Wire;

// Outside of MemPrims, as a user is: so the page names all that it needs.
namespace MainPage;

public class WireSample
{
    [Fact]
    public void The_main_page_s_code_of_messages_has_the_results_of_its_comments()
    {
        // README
        MessageType type = MessageSchema.Load(File.ReadAllBytes("shop.binpb"))["shop.Order"];     // of protoc --descriptor_set_out
        Message message = type.New(); message.Set("id", "o-17");            // by name, or by a FieldHandle: fast
        byte[] bytes = message.ToByteArray();                               // 6 bytes
        string text = type.Decode(bytes).Get<string>("id");                 // o-17
        string json = type.Decode(bytes).ToJson();                          // {"id":"o-17"}
        bool has = type.Path("id").TryRead(bytes, out string only);         // true, o-17; nothing else is decoded
        // end of README

        Assert.Equal(6, bytes.Length);
        Assert.Equal(("o-17", """{"id":"o-17"}""", true, "o-17"), (text, json, has, only));
    }

    // Stands for the file that the page reads.
    private static class File
    {
        public static byte[] ReadAllBytes(string path)
        {
            Assert.Equal("shop.binpb", path);
            return MemPrims.Wire.Tests.ShopSchema.ToByteArray();
        }
    }
}
