using System.Diagnostics;
using System.IO.MemoryMappedFiles;

namespace MemPrims.Fuzz;

/// <summary>
/// Runs a target in a child process, since a fault on a guard page cannot be caught. The input that runs is kept in a mapped file, which
/// outlives the process.
/// </summary>
internal sealed unsafe class Runner : IDisposable
{
    // An input of 64 KiB that makes a reader allocate more is an attack on its memory.
    private const long MostAllocated = 512 << 20;

    // Of processor time, so that a busy machine makes no difference.
    private static readonly TimeSpan s_mostTime = TimeSpan.FromSeconds(60);

    private readonly Target _target;
    private readonly GuardedInput _input = new();
    private readonly byte* _kept;
    private readonly TimeSpan _before = Process.GetCurrentProcess().TotalProcessorTime;
    private long _runs;

    private Runner(Target target, string? keptIn = null)
    {
        _target = target;
        if (keptIn is null) return;
        MemoryMappedFile file = MemoryMappedFile.CreateFromFile(keptIn, FileMode.Create, null, sizeof(int) + GuardedInput.MostBytes);
        byte* kept = null;
        file.CreateViewAccessor().SafeMemoryMappedViewHandle.AcquirePointer(ref kept);
        _kept = kept;
        new Thread(EndWhatDoesNotEnd) { IsBackground = true }.Start();
    }

    public static Runner Of(Target target) => new(target);

    /// <summary>The input that a child of <see cref="Hold"/> ran last.</summary>
    public static byte[] Kept(string path)
    {
        byte[] kept = File.ReadAllBytes(path);
        return kept.AsSpan(sizeof(int), BitConverter.ToInt32(kept)).ToArray();
    }

    /// <summary>
    /// A child: replays the corpus, at both guard pages, and then tries mutations of it. Takes the target, the file for the input that
    /// runs, and for how many seconds; 0 for the target's own number of mutations.
    /// </summary>
    public static void Hold(string[] arguments)
    {
        Target target = Target.Named(arguments[0]);
        using Runner runner = new(target, arguments[1]);
        List<byte[]> inputs = [];
        foreach ((string name, byte[] bytes) in Corpus.Of(target))
        {
            CaseNote.Set($"corpus file {name}");
            runner.Try(bytes, atStart: false);
            runner.Try(bytes, atStart: true);
            inputs.Add(bytes);
        }
        TimeSpan time = TimeSpan.FromSeconds(int.Parse(arguments[2]));
        Stopwatch watch = Stopwatch.StartNew();
        int round = 0;
        for (; time == default ? round < target.Rounds : watch.Elapsed < time; round++)
        {
            CaseNote.Set("mutation", Seeds.Seed, round);
            runner.Try(Mutator.Mutate(new(unchecked(Seeds.Seed + round * 31)), inputs), (round & 1) == 1);
        }
        target.CheckEnd();
        Console.WriteLine($"{inputs.Count} inputs, {round} mutations in {watch.Elapsed.TotalSeconds:F1} s");
    }

    /// <summary>Runs one input.</summary>
    public void Try(ReadOnlySpan<byte> bytes, bool atStart)
    {
        if (bytes.Length > GuardedInput.MostBytes) bytes = bytes[..GuardedInput.MostBytes];
        if (_kept != null)
        {
            *(int*)_kept = bytes.Length;
            bytes.CopyTo(new Span<byte>(_kept + sizeof(int), bytes.Length));
        }
        Interlocked.Increment(ref _runs);
        Span<byte> head = stackalloc byte[_target.HeadBytes];
        head.Clear();
        int length = Math.Min(head.Length, bytes.Length);
        bytes[..length].CopyTo(head);
        _input.Place(bytes[length..], atStart);
        long before = GC.GetAllocatedBytesForCurrentThread();
        _target.Run(head, _input);
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        WrongAnswerException.Unless(allocated < MostAllocated, $"{allocated} bytes were allocated for an input of {bytes.Length}");
    }

    public void Dispose() => ((IDisposable)_input).Dispose();

    private void EndWhatDoesNotEnd()
    {
        using Process process = Process.GetCurrentProcess();
        for (TimeSpan since = _before; ;)
        {
            long run = Interlocked.Read(ref _runs);
            Thread.Sleep(1000);
            process.Refresh();
            if (Interlocked.Read(ref _runs) != run) since = process.TotalProcessorTime;
            else if (process.TotalProcessorTime - since > s_mostTime)
                Environment.FailFast($"The target {_target.Name} does not end: it has computed for {s_mostTime} over one input.");
        }
    }
}
