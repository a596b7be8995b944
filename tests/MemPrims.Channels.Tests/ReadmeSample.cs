using System.Runtime.InteropServices;
using MemPrims.Channels;
// For what the sample is given: a list and a file.
using MemPrims.Buffers;
using Microsoft.Win32.SafeHandles;

// Outside of MemPrims, as a user is: so the README names all that it needs.
namespace Readme;

/// <summary>The code of the package's README, compiled and run. A line of it that is not here fails the test.</summary>
[Collection(MemPrims.Channels.Tests.Alone.Name)]
public class ReadmeSample
{
    [Fact]
    public void The_code_of_the_readme_runs()
    {
        using TempFolder folder = new();
        string path = folder.File("worker");
        using SafeFileHandle file = File.OpenHandle("/dev/null");
        using SegmentList list = new();
        list.Append(new byte[100_000]);
        byte[] buffer = new byte[200];

        using IpcListener listener = IpcListener.Listen(path);

        using IpcChannel worker = IpcChannel.Connect(path, new() { MaxHandles = 1, SegmentCount = 4 });

        using IpcChannel engine = listener.Accept(TimeSpan.FromSeconds(5));
        engine.Send("hello"u8);
        engine.Send(list.AsSequence(), [file]);

        int length = worker.Receive(buffer);
        using IpcMessage? message = worker.Receive(TimeSpan.FromSeconds(1));
        using SafeHandle taken = message!.TakeHandle(0);

        using SharedSegment segment = worker.SegmentPool!.Rent(TimeSpan.FromSeconds(1));
        segment.GetSpan()[..1000].Fill(7);
        worker.Send(segment, 1000);

        Assert.Equal(5, length);
        Assert.Equal(100_000, message.Payload.Length);
        Assert.Equal(1000, engine.Receive(new byte[1000], TimeSpan.FromSeconds(20)));
    }

    [Fact]
    public void Every_line_of_code_in_the_readme_is_compiled()
    {
        string[] compiled = [.. File.ReadLines(Path.Combine(AppContext.BaseDirectory, "ReadmeSample.cs")).Select(line => line.Trim())];
        int at = 0, lines = 0;
        bool inCode = false;
        foreach (string line in File.ReadLines(Path.Combine(AppContext.BaseDirectory, "README.md")))
        {
            if (line.StartsWith("```", StringComparison.Ordinal))
            {
                inCode = line == "```csharp";
                continue;
            }
            string code = line.Split("//")[0].Trim();
            if (!inCode || code.Length == 0) continue;
            int found = Array.IndexOf(compiled, code, at);
            Assert.True(found >= 0, $"the README has a line that is not compiled, or not in this order: {code}");
            at = found;
            lines++;
        }
        Assert.True(lines > 8, $"only {lines} lines of code were found in the README");
    }
}
