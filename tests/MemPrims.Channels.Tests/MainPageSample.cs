using MemPrims.Channels;

// Outside of MemPrims, as a user is: so the page names all that it needs.
namespace MainPage;

[Collection(MemPrims.Channels.Tests.Alone.Name)]
public class ChannelsSample
{
    [Fact]
    public void The_main_page_s_code_of_channels_has_the_results_of_its_comments()
    {
        using TempFolder folder = new();
        string path = folder.File("worker");
        byte[] buffer = new byte[200];

        // README
        using IpcListener listener = IpcListener.Listen(path);
        using IpcChannel worker = IpcChannel.Connect(path);                 // in the other process
        using IpcChannel engine = listener.Accept(TimeSpan.FromSeconds(5));
        engine.Send("hello"u8);                                             // without a system call while both keep up
        int length = worker.Receive(buffer);                                // 5; -1 when the other end has closed
        // end of README

        Assert.Equal("hello"u8, buffer.AsSpan(0, length));
        engine.Dispose();
        Assert.Equal(-1, worker.Receive(buffer));
    }
}
