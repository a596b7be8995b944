using System.Diagnostics;
using System.Globalization;

namespace MemPrims.Benchmarks.Channels;

/// <summary>A contender in C: blocking.c, built by the gcc that is found. Its header says what each kind does.</summary>
internal sealed class CDriver : Driver
{
    private static readonly Lazy<string?> s_path = new(Build);

    private readonly char _kind;
    private readonly int _spin;
    private readonly Placement _placement;
    private readonly Process _program;

    private CDriver(string name, char kind, int spin, Placement placement) : base(name)
    {
        (_kind, _spin, _placement) = (kind, spin, placement);
        _program = Process.Start(new ProcessStartInfo(s_path.Value!) { RedirectStandardInput = true, RedirectStandardOutput = true })!;
    }

    /// <summary>Whether there is a compiler. Where there is none, the rows are left out, and a line says so.</summary>
    public static bool IsThere => s_path.Value is not null;

    public static CDriver SeqPacket(Placement placement) => new("C SEQPACKET", 'p', 0, placement);

    public static CDriver SpinningSeqPacket(Placement placement) => new("C SEQPACKET, spins 20 µs", 'p', 20, placement);

    public static CDriver Stream(Placement placement) => new("C STREAM", 's', 0, placement);

    public static CDriver Ring(Placement placement) => new("bare ring, C pause", 'r', 0, placement);

    public static CDriver FutexRing(Placement placement) => new("bare ring, C futex", 'f', 0, placement);

    /// <summary>One packet holds no more than the socket's send buffer, which is 208 KiB by default.</summary>
    public override int Most => _kind == 'p' ? 128 << 10 : base.Most;

    /// <summary>Nanoseconds between two readings of the clock, as the C program takes them.</summary>
    public static double ClockCost()
    {
        using CDriver driver = SeqPacket(Placement.AsPlaced);
        return double.Parse(driver.Ask("c 1 0 -1 -1 0 0 0 0 0")[0], CultureInfo.InvariantCulture);
    }

    public override long RoundTrips(in Exchange exchange, long[] times)
    {
        string[] words = Ask($"e {exchange.Size} {times.Length} {_placement.Own} {_placement.Partners} {_spin} {exchange.Server} " +
            $"{exchange.Client} {exchange.SleepNanoseconds} 1");
        for (int i = 0; i < times.Length; i++) times[i] = long.Parse(words[i], CultureInfo.InvariantCulture);
        return long.Parse(words[^1], CultureInfo.InvariantCulture);
    }

    public override long Batch(int size, int count)
    {
        string[] words = Ask($"e {size} {count} {_placement.Own} {_placement.Partners} {_spin} 0 0 0 0");
        return long.Parse(words[0], CultureInfo.InvariantCulture);
    }

    public override (long Elapsed, long Used) OneWay(int size, int count)
    {
        string[] words = Ask($"t {size} {count} {_placement.Own} {_placement.Partners} {_spin} 0 0 0 0");
        return (long.Parse(words[0], CultureInfo.InvariantCulture), long.Parse(words[1], CultureInfo.InvariantCulture));
    }

    private string[] Ask(string question)
    {
        _program.StandardInput.WriteLine($"{_kind} {question}");
        _program.StandardInput.Flush();
        return (_program.StandardOutput.ReadLine() ?? throw new InvalidOperationException(
            $"{Name} ended without an answer to '{question}'. Its complaint is above.")).Split(' ');
    }

    public override void Dispose()
    {
        _program.StandardInput.Close();
        if (!_program.WaitForExit(TimeSpan.FromSeconds(2))) _program.Kill();
        _program.Dispose();
    }

    private static string? Build()
    {
        string source = Path.Combine(AppContext.BaseDirectory, "Channels", "blocking.c"),
            program = Path.Combine(AppContext.BaseDirectory, "Channels", "blocking");
        try
        {
            using Process gcc = Process.Start(new ProcessStartInfo("gcc", ["-O3", "-march=native", "-o", program, source]))!;
            gcc.WaitForExit();
            if (gcc.ExitCode == 0) return program;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            // No gcc.
        }
        Console.Error.WriteLine("The peers in C are left out: gcc was not found, or did not build blocking.c. On Debian: " +
            "apt-get install gcc libc6-dev.");
        return null;
    }
}
