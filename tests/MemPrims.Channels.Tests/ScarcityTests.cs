using System.Runtime.InteropServices;

namespace MemPrims.Channels.Tests;

// What each call, handler and Dispose does where descriptors, threads or memory are short: the process lives, errors are typed, nothing
// leaks, and afterwards all goes well. Each in a process of its own, where nothing was loaded or compiled by another test.
[Collection(Alone.Name)]
public class ScarcityTests
{
    private const int MostFree = 5;

    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(1), s_short = TimeSpan.FromMilliseconds(30);
    private static readonly ChannelOptions s_handles = new() { MaxHandles = 4 };

    // Makes ready what an action needs, and leaves it to be disposed; gives the action that is done in want.
    private delegate Action Scenario(Stack<IDisposable> owned);

    private static readonly Dictionary<string, Scenario> s_all = new()
    {
        ["garbage to a listener"] = owned => Greet(owned, peer => peer.Send([1, 2, 3])),
        ["nothing to a listener"] = owned => Greet(owned, _ => { }),
        ["a client that leaves"] = owned => Greet(owned, peer => peer.Dispose()),
        ["a hello to a listener"] = owned => Greet(owned, peer => peer.Send(RawPeer.Packet(PacketKind.Hello, 24, RawPeer.Hello()))),
        ["connect and accept"] = owned =>
        {
            (IpcListener listener, string path) = Listen(owned);
            return () =>
            {
                Exception? refused = Scarcity.Outcome(() => IpcChannel.Connect(path, new() { Timeout = s_soon }).Dispose());
                Exception? missed = Scarcity.Outcome(() => listener.Accept(s_short).Dispose());
                if (refused is not null) ThrowNaming(path, refused);
                if (missed is not null) throw missed;
            };
        },
        ["listen"] = owned =>
        {
            TempFolder folder = new();
            owned.Push(folder);
            return () =>
            {
                Exception? refused = Scarcity.Outcome(() => IpcListener.Listen(folder.File("s")).Dispose());
                Assert.False(File.Exists(folder.File("s")));
                if (refused is not null) ThrowNaming(folder.File("s"), refused);
            };
        },
        ["the end of a listener"] = owned =>
        {
            (IpcListener listener, string path) = Listen(owned);
            return () =>
            {
                listener.Dispose();
                Assert.False(File.Exists(path));
            };
        },
        ["a pair"] = _ => () =>
        {
            (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
            using (a)
            using (b) Exchange(a, b);
        },
        ["messages"] = owned =>
        {
            (IpcChannel a, IpcChannel b) = Pair(owned);
            return () =>
            {
                Exchange(a, b);
                Exchange(b, a);
            };
        },
        ["descriptors"] = owned =>
        {
            (IpcChannel a, IpcChannel b) = Pair(owned);
            SafeHandle file = Null(owned);
            return () =>
            {
                a.Send([1], [file, file, file]);
                using IpcMessage message = b.Receive(s_soon)!;
                using SafeHandle taken = message.TakeHandle(1);
            };
        },
        ["descriptors that nobody takes"] = owned =>
        {
            (IpcChannel a, IpcChannel b) = Pair(owned);
            a.Send([1], [Null(owned), Null(owned)]);
            IpcMessage message = b.Receive(s_soon)!;
            return message.Dispose;
        },
        ["the end with messages unread"] = owned =>
        {
            (IpcChannel a, IpcChannel b) = Pair(owned);
            a.Send([1], [Null(owned), Null(owned)]);
            return () =>
            {
                b.Dispose();
                a.Receive(s_soon);
            };
        },
        ["a breach"] = owned =>
        {
            (IpcChannel a, IpcChannel b) = Pair(owned);
            RawPeer peer = RawPeer.Over(a.DuplicateHandle());
            owned.Push(peer);
            return () =>
            {
                peer.Send([1, 2, 3]);
                try
                {
                    b.Receive(s_soon);
                }
                finally
                {
                    Assert.True(b.IsBroken);
                    b.Dispose();
                }
            };
        },
        ["a peer that is gone"] = owned =>
        {
            (IpcChannel a, IpcChannel b) = Pair(owned);
            a.Send([1]);
            b.Dispose();
            return () =>
            {
                Assert.Throws<IpcPeerGoneException>(() => a.Receive(s_soon));
                a.Send([2]);
            };
        },
        ["an asynchronous receive"] = owned =>
        {
            (IpcChannel a, IpcChannel b) = Pair(owned);
            return () => b.ReceiveAsync(s_short).AsTask().GetAwaiter().GetResult();
        },
        ["an asynchronous send that waits"] = owned =>
        {
            (IpcChannel a, IpcChannel b) = Pair(owned);
            while (a.TrySend(new byte[5000])) continue;
            return () =>
            {
                using CancellationTokenSource end = new();
                Task sending = a.SendAsync(new byte[5000], end.Token).AsTask();
                end.Cancel();
                sending.GetAwaiter().GetResult();
            };
        },
        ["an end passed on"] = owned =>
        {
            (IpcChannel a, IpcChannel b) = Pair(owned);
            return () =>
            {
                SafeHandle copy = b.DuplicateHandle();
                using (copy)
                using (IpcChannel other = IpcChannel.FromHandle(copy)) Exchange(a, other);
            };
        },
        ["shared memory"] = owned =>
        {
            (IpcChannel a, IpcChannel b) = Pair(owned);
            return () =>
            {
                using SharedMemory made = SharedMemory.Create(100_000);
                a.Send([1], [made.Handle]);
                using IpcMessage message = b.Receive(s_soon)!;
                using SharedMemory mapped = SharedMemory.Open(message.TakeHandle(0));
            };
        },
        ["wrong arguments and time"] = owned =>
        {
            (IpcChannel a, IpcChannel b) = Pair(owned);
            SafeHandle file = Null(owned);
            return () =>
            {
                Assert.Throws<ArgumentException>(() => a.Send(new byte[1], new SafeHandle[300]));
                Assert.Throws<TimeoutException>(() => b.Receive(TimeSpan.Zero));
                Assert.Throws<IpcProtocolException>(() => a.Send([1], [file, file, file, file, file]));
            };
        },
        ["what nobody disposed"] = owned =>
        {
            Drop();
            return () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            };
        },
    };

    public static TheoryData<string> Names => [.. s_all.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void With_few_descriptors_a_process_lives_and_its_errors_are_typed(string name) =>
        Child.Run(WalkWithFewDescriptors, [name]).AssertSucceeded();

    private static void WalkWithFewDescriptors(string[] arguments)
    {
        Stack<IDisposable> owned = new();
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        // What this walk needs itself.
        AssertTyped("nothing", Scarcity.WithDescriptors(0, () => { }));
        for (int free = 0; free <= MostFree; free++)
        {
            Action action = s_all[arguments[0]](owned);
            Exception? thrown = Scarcity.WithDescriptors(free, action);
            AssertTyped($"{free} descriptors", thrown);
            while (owned.TryPop(out IDisposable? one)) one.Dispose();
        }
        int before = Census.SettledFiles();
        Action again = s_all[arguments[0]](owned);
        Scarcity.Check("afterwards", Scarcity.Outcome(again));
        while (owned.TryPop(out IDisposable? one)) one.Dispose();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Census.AssertFiles(before);
        Exchange(a, b);
        a.Dispose();
        b.Dispose();
    }

    [Theory, InlineData("threads"), InlineData("space")]
    public void Without_threads_or_space_a_process_lives_and_its_errors_are_typed(string what)
    {
        // One by one what is short at first use is met at each place; all in one process it is met at the first ones only.
        string[][] walks = LongRuns.On ? [.. s_all.Keys.Select(name => new[] { name })] : [[.. s_all.Keys]];
        foreach (string[] names in walks)
            Child.Run(WalkWithout, [what, .. names]).AssertSucceeded();
    }

    private static void WalkWithout(string[] arguments)
    {
        Stack<IDisposable> owned = new();
        (string Name, Action Action)[] all = [.. arguments[1..].Select(name => (name, s_all[name](owned)))];
        CaseNote.Set("made ready");
        if (arguments[0] == "threads") Scarcity.RefuseThreads();
        else Scarcity.RefuseSpace();
        foreach ((string name, Action action) in all)
        {
            CaseNote.Set(name);
            Exception? thrown = Scarcity.Outcome(action);
            AssertTyped(name, thrown);
        }
        CaseNote.Set("the end");
        while (owned.TryPop(out IDisposable? one)) one.Dispose();
    }

    private static void AssertTyped(string what, Exception? thrown)
    {
        Scarcity.Check(what, thrown);
        // The runtime has no thread for its timers then: it takes a descriptor for a moment.
        bool isRuntimes = thrown is OutOfMemoryException && thrown.StackTrace!.Contains("TimerQueue", StringComparison.Ordinal);
        Assert.True(thrown is null or IOException or TimeoutException or OperationCanceledException || isRuntimes, $"{what}: {thrown}");
    }

    // Of several listeners, which one it was.
    private static void ThrowNaming(string path, Exception refused) =>
        throw (refused.Message.Contains(path) ? refused : new InvalidOperationException($"{path} is not named", refused));

    private static void Exchange(IpcChannel a, IpcChannel b)
    {
        a.Send([1, 2, 3]);
        Assert.Equal(3, b.Receive(new byte[10], s_soon));
        a.Send(new byte[5000]);
        using IpcMessage message = b.Receive(s_soon)!;
        Assert.Equal(5000, message.Payload.Length);
    }

    private static (IpcChannel A, IpcChannel B) Pair(Stack<IDisposable> owned)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_handles);
        owned.Push(a);
        owned.Push(b);
        return (a, b);
    }

    private static (IpcListener Listener, string Path) Listen(Stack<IDisposable> owned)
    {
        TempFolder folder = new();
        IpcListener listener = IpcListener.Listen(folder.File("s"), new() { Timeout = TimeSpan.FromMilliseconds(200) });
        owned.Push(folder);
        owned.Push(listener);
        return (listener, folder.File("s"));
    }

    private static Action Greet(Stack<IDisposable> owned, Action<RawPeer> say)
    {
        (IpcListener listener, string path) = Listen(owned);
        RawPeer peer = RawPeer.Connect(path);
        owned.Push(peer);
        // The listener has accepted it by now, mostly; where it has not, it waits for a descriptor.
        Thread.Sleep(50);
        return () =>
        {
            say(peer);
            listener.Accept(s_soon).Dispose();
        };
    }

    private static SafeHandle Null(Stack<IDisposable> owned)
    {
        SafeHandle file = File.OpenHandle("/dev/null");
        owned.Push(file);
        return file;
    }

    private static void Drop()
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair(s_handles);
        using SafeHandle file = File.OpenHandle("/dev/null");
        a.Send([1], [file]);
        b.Send([1]);
    }
}
