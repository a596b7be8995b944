using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using SharpFuzz;
using SharpFuzz.Common;

namespace MemPrims.Fuzz;

/// <summary>What `.ci/fuzz` runs, with instrumented copies of the product.</summary>
internal static unsafe class Afl
{
    private const int Edges = 1 << 16;

    // Instrumented code writes here from its first line on, before afl-fuzz gives its own, and between inputs.
    private static readonly byte* s_uncounted = (byte*)NativeMemory.AllocZeroed(Edges);

    [ModuleInitializer]
    internal static void GiveEdges() => Trace.SharedMem = s_uncounted;

    /// <summary>Takes the inputs of afl-fuzz for a target.</summary>
    public static void Run(string[] arguments)
    {
        Target target = Target.Named(arguments[0]);
        Runner runner = Runner.Of(target);
        // What strangers sent is closed by the thread that lets go of it, and not beside it.
        MostThreads(Closer.Usual) = 0;
        byte[] room = new byte[GuardedInput.MostBytes + 1];
        // What is made once is made before afl-fuzz counts.
        foreach ((_, byte[] bytes) in Corpus.Of(target)) Try(bytes);
        Fuzzer.OutOfProcess.Run(stream => Try(room.AsSpan(0, stream.ReadAtLeast(room, room.Length, throwOnEndOfStream: false))));

        void Try(ReadOnlySpan<byte> input)
        {
            if (target.BeginsSettled) Settle();
            Trace.PrevLocation = 0;
            // The side is drawn by the input, so that the same input takes the same way.
            runner.Try(input, (Checksum.Crc32C(input) & 1) == 1);
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "<mostThreads>P")]
    private static extern ref int MostThreads(Closer closer);

    // SharpFuzz takes all threads for one: a finalizer that runs beside an input makes edges between places that have nothing to do with
    // each other, 10,000 of them in the targets whose files are mapped. Here they run between inputs. And each input begins with its
    // objects at the same places: kernels take another way at the end of a page. `.ci/fuzz` sees to it that nothing is collected in the
    // midst of an input.
    private static void Settle()
    {
        byte* edges = Trace.SharedMem;
        Trace.SharedMem = s_uncounted;
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Trace.SharedMem = edges;
    }

    /// <summary>Runs the files that are given, of a target, one after the other.</summary>
    public static void Try(string[] arguments)
    {
        Runner runner = Runner.Of(Target.Named(arguments[0]));
        foreach (string file in arguments[1..])
        {
            Console.WriteLine(file);
            for (int side = 0; side < 2; side++) runner.Try(File.ReadAllBytes(file), side == 1);
        }
    }

    /// <summary>Writes the inputs of a target to a folder, for afl-fuzz to begin with.</summary>
    public static void Begin(string[] arguments)
    {
        int i = 0;
        foreach ((_, byte[] bytes) in Corpus.Of(Target.Named(arguments[0])))
            File.WriteAllBytes(Path.Combine(arguments[1], $"{i++:D4}"), bytes);
    }

    /// <summary>
    /// Takes the smallest inputs of a folder that together take all branches that any takes, and writes them to another, as long as they
    /// fit the bytes that are given.
    /// </summary>
    public static void Pick(string[] arguments)
    {
        Target target = Target.Named(arguments[0]);
        long room = long.Parse(arguments[3]);
        Runner runner = Runner.Of(target);
        byte[] map = GC.AllocateArray<byte>(Edges, pinned: true), seen = new byte[Edges];
        fixed (byte* shared = map)
        {
            Trace.SharedMem = shared;
            // What the writers make is there anyway.
            foreach (byte[] seed in target.Seeds()) Covers(seed);
            int picked = 0;
            foreach (FileInfo file in new DirectoryInfo(arguments[1]).GetFiles().OrderBy(file => file.Length).ThenBy(file => file.Name))
            {
                byte[] bytes = File.ReadAllBytes(file.FullName);
                if (bytes.Length > room || !Covers(bytes)) continue;
                room -= bytes.Length;
                File.WriteAllBytes(Path.Combine(arguments[2], $"{Checksum.Crc32C(bytes):x8}"), bytes);
                picked++;
            }
            Console.WriteLine($"{picked} inputs, {seen.Count(times => times > 0)} edges");
        }

        bool Covers(byte[] bytes)
        {
            if (target.BeginsSettled) Settle();
            Trace.PrevLocation = 0;
            map.AsSpan().Clear();
            runner.Try(bytes, atStart: false);
            bool isNew = false;
            for (int i = 0; i < Edges; i++)
                if (map[i] != 0 && seen[i] == 0)
                {
                    seen[i] = 1;
                    isNew = true;
                }
            return isNew;
        }
    }
}
