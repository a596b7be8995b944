using System.Buffers;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using Google.Protobuf;
using MemPrims.Buffers;
using MemPrims.Wire;
using Mixed = MemPrims.Benchmarks.Wire.Generated.Mixed;

namespace MemPrims.Benchmarks.Wire;

/// <summary>
/// `wire-cold`: what a new process takes for its first messages of 25 fields: the schema is loaded (here), each message is decoded,
/// read and encoded. Both sides run in processes of their own, one after the other, and tell the time since their Main after so many
/// messages. Medians of eleven processes each.
/// </summary>
internal static class WireCold
{
    private static readonly int[] s_marks = [1, 100, 1_000, 10_000, 50_000];

    /// <summary>One process: ours or the generated code, on the files of the folder.</summary>
    public static int RunChild(string side, string folder)
    {
        long start = Stopwatch.GetTimestamp();
        return side == "ours" ? Ours(folder, start) : Generated(folder, start);
    }

    public static int Run()
    {
        string data = Directory.CreateTempSubdirectory("wire-cold").FullName;
        try
        {
            File.WriteAllBytes(Path.Combine(data, "schema"), Samples.DescriptorSet(Wire.Generated.WireReflection.Descriptor));
            Mixed[] messages = Samples.Mixed();
            for (int i = 0; i < messages.Length; i++) File.WriteAllBytes(Path.Combine(data, $"{i}"), messages[i].ToByteArray());
            List<double[]> ours = [], generated = [];
            for (int i = 0; i < 11; i++)
            {
                ours.Add(Child("ours", data));
                generated.Add(Child("generated", data));
            }
            Console.WriteLine("| messages | ours, ms | generated, ms | times |");
            Console.WriteLine("| --- | --- | --- | --- |");
            for (int i = 0; i < s_marks.Length; i++)
            {
                double a = Median(ours, i), b = Median(generated, i);
                Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"| {s_marks[i]:N0} | {a:0.0} | {b:0.0} | {a / b:0.00} |"));
            }
        }
        finally
        {
            Directory.Delete(data, true);
        }
        return 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Ours(string folder, long start)
    {
        byte[][] encoded = Read(folder);
        MessageType type = MessageSchema.Load(File.ReadAllBytes(Path.Combine(folder, "schema")))["memprims.bench.Mixed"];
        FieldHandle<string> name = type.Field<string>("name");
        FieldHandle<int> id = type.Field<int>("id");
        SegmentList list = new();
        return Report(start, i =>
        {
            Message message = type.Decode(encoded[i]);
            list.Clear();
            message.WriteTo(list);
            return message.Get(id) + message.Get(name).Length + list.Length;
        });
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Generated(string folder, long start)
    {
        byte[][] encoded = Read(folder);
        ArrayBufferWriter<byte> writer = new(1 << 16);
        return Report(start, i =>
        {
            Mixed message = Mixed.Parser.ParseFrom(encoded[i]);
            writer.ResetWrittenCount();
            message.WriteTo(writer);
            return message.Id + message.Name.Length + writer.WrittenCount;
        });
    }

    private static int Report(long start, Func<int, long> work)
    {
        long sum = 0;
        int done = 0;
        List<double> times = [];
        foreach (int mark in s_marks)
        {
            for (; done < mark; done++) sum += work(done % Samples.Count);
            times.Add(Stopwatch.GetElapsedTime(start).TotalMilliseconds);
        }
        Console.WriteLine(string.Join(' ', times.Select(time => time.ToString(CultureInfo.InvariantCulture))));
        return sum > 0 ? 0 : 1;
    }

    private static byte[][] Read(string folder) =>
        [.. Enumerable.Range(0, Samples.Count).Select(i => File.ReadAllBytes(Path.Combine(folder, $"{i}")))];

    private static double[] Child(string side, string data)
    {
        ProcessStartInfo info = new(Environment.ProcessPath!) { RedirectStandardOutput = true };
        if (Path.GetFileNameWithoutExtension(info.FileName) == "dotnet") info.ArgumentList.Add(typeof(WireCold).Assembly.Location);
        foreach (string argument in (string[])["wire-cold", side, data]) info.ArgumentList.Add(argument);
        using Process process = Process.Start(info)!;
        string line = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode != 0) throw new InvalidOperationException($"The process of {side} ended with {process.ExitCode}.");
        return [.. line.Split(' ').Select(time => double.Parse(time, CultureInfo.InvariantCulture))];
    }

    private static double Median(List<double[]> runs, int mark) => runs.Select(run => run[mark]).Order().ElementAt(runs.Count / 2);
}
