using System.Runtime.InteropServices;
using MemPrims.Buffers;
using MemPrims.Channels;

// Outside of MemPrims, as a user is: so the README names all that it needs.
namespace Readme;

// The code of the package's README stands here once more, word for word: it is compiled and it runs.
[Collection(MemPrims.Channels.Tests.Alone.Name)]
public class ReadmeSample
{
    [Fact]
    public void The_readme_s_code_of_messages_runs()
    {
        using TempFolder folder = new();
        string path = folder.File("worker");
        using SafeHandle file = File.OpenHandle("/dev/null");
        byte[] header = new byte[16], block = new byte[100_000], buffer = new byte[200];

        // README
        // One process. A path gets mode 0600; "@name" is an abstract address, for processes of the same user.
        using IpcListener listener = IpcListener.Listen(path);

        // The other process:
        using IpcChannel worker = IpcChannel.Connect(path, new() { MaxHandles = 1 });

        // The first again.
        using IpcChannel engine = listener.Accept(TimeSpan.FromSeconds(5));
        engine.Send("hello"u8);                                                  // 0 B allocated
        using SegmentList request = new();
        request.Append(header);
        request.Splice(block);                                                   // memory of yours, not copied into the list
        engine.Send(request.AsSequence(), [file]);                               // the pieces as they lie, with a descriptor

        int length = worker.Receive(buffer);                                     // 5: into a span, no object, 0 B; -1: closed
        using IpcMessage? message = worker.Receive(TimeSpan.FromSeconds(1));     // null: closed; TimeoutException
        using SafeHandle taken = message!.TakeHandle(0);                         // the others are closed with the message
        // end of README

        Assert.Equal(5, length);
        Assert.Equal(100_016, message.Payload.Length);
        Assert.False(taken.IsInvalid);
    }

    [Fact]
    public async Task The_readme_s_server_answers_until_its_client_has_closed()
    {
        (IpcChannel client, IpcChannel engine) = IpcChannel.CreatePair();
        CancellationToken stop = default;
        using (engine)
        using (client)
        {
            client.Send([1, 2]);
            client.Send([3]);
            Task serving = Serve();
            Assert.Equal(2, client.Receive(new byte[2], TimeSpan.FromSeconds(20)));
            Assert.Equal(1, client.Receive(new byte[2], TimeSpan.FromSeconds(20)));
            client.Dispose();
            await serving.WaitAsync(TimeSpan.FromSeconds(20));
        }

        async Task Serve()
        {
            // README
            while (await engine.ReceiveAsync(stop) is { } work)                      // null: the client has closed, and all was received
                using (work)
                    await engine.SendAsync(Answer(work.Payload.Span), stop);
            // end of README
        }
    }

    private static byte[] Answer(ReadOnlySpan<byte> request) => request.ToArray();

    [Fact]
    public void The_readme_s_shared_memory_is_read_in_place()
    {
        (IpcChannel engine, IpcChannel worker) = IpcChannel.CreatePair(new() { MaxHandles = 1 });
        using (engine)
        using (worker)
        {
            // README
            using SharedMemory index = SharedMemory.Create(1 << 20);
            index.WritableSpan.Fill(7);
            engine.Send("index"u8, [index.Handle]);                                  // the length stands in the file

            // In the worker:
            using IpcMessage sent = worker.Receive(TimeSpan.FromSeconds(1))!;
            using SharedMemory mapped = SharedMemory.Open(sent.TakeHandle(0));       // for reading; the kernel sees to it
            byte seven = mapped.Span[^1];                                            // 7
            // end of README
            Assert.Equal(7, seven);
        }
    }

    [Fact]
    public void The_readme_s_supervisor_hands_a_client_on()
    {
        using TempFolder folder = new();
        using IpcListener listener = IpcListener.Listen(folder.File("s"));
        using IpcChannel outside = IpcChannel.Connect(folder.File("s"));
        outside.Send([5]);
        (IpcChannel toWorker, IpcChannel fromSupervisor) = IpcChannel.CreatePair(new() { MaxHandles = 1 });
        using (toWorker)
        using (fromSupervisor)
        {
            // README goes on
            using IpcChannel client = listener.Accept(TimeSpan.FromSeconds(5));
            using (SafeHandle socket = client.DuplicateHandle()) toWorker.Send([], [socket]);

            // In the worker:
            using IpcMessage handedOver = fromSupervisor.Receive(TimeSpan.FromSeconds(5))!;
            using IpcChannel served = IpcChannel.FromHandle(handedOver.TakeHandle(0));
            // end of README
            Assert.Equal(1, served.Receive(new byte[1], TimeSpan.FromSeconds(20)));
            served.Send([6, 6]);
            Assert.Equal(2, outside.Receive(new byte[2], TimeSpan.FromSeconds(20)));
        }
    }

    [Fact]
    public void Every_sample_of_the_readme_is_compiled() => Assert.Empty(PageSamples.Differences(
        File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "README.md")),
        File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "ReadmeSample.cs"))));
}
