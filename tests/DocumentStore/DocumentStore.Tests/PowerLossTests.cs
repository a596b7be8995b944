using System.Text;
using System.Text.RegularExpressions;

namespace DocumentStore.Tests;

/// <summary>
/// An engine runs under strace. Its log is then made again of its system calls up to any of them, as a disk has it where the power went
/// there: all that was synced by then, and any of the sectors that were written since. Pages lie in maps, of which no call tells: they are
/// missing here, and DiskTests loses them in part.
/// </summary>
public partial class PowerLossTests
{
    private const int Batches = 150, Points = 300, Compactions = 5, Seed = 6;

    [StraceTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_disk_that_lost_power_at_any_call_has_all_that_was_acknowledged(bool compacts)
    {
        using TempFolder folder = new(), other = new();
        string trace = Path.Combine(other.Path, "trace");
        using (Engine engine = new(folder.Path, Seed, from: 0, 0, compacts, "strace", "-f", "-y", "-xx", "-s", "2000000", "-o", trace,
            "-e", "trace=openat,write,pwrite64,pwritev,ftruncate,fallocate,fsync,fdatasync,"
                + "rename,renameat,renameat2,link,linkat,unlink,unlinkat"))
        {
            while (engine.Acknowledged < Batches || (compacts && engine.Compactions < Compactions)) Thread.Sleep(1);
            engine.Kill();
        }
        Random random = new(Seed);
        Disk disk = new(folder.Path);
        Model model = new();
        int next = 0, looked = 0;
        List<Call> calls = [.. Calls(trace)];
        int first = calls.FindIndex(static call => call.Name == "write" && call.Says.StartsWith("try", StringComparison.Ordinal));
        HashSet<int> points = [.. Enumerable.Range(0, 2 * Points).Select(_ => random.Next(first, calls.Count)).Distinct().Take(Points)];
        for (int i = 0; i < calls.Count; i++)
        {
            disk.Take(calls[i]);
            if (!points.Contains(i)) continue;
            using TempFolder copy = new();
            disk.LosePower(copy.Path, random);
            using Collection collection = Collection.Open(copy.Path, Model.Definition, Engine.Options);
            model = model.After(Seed, ref next, disk.Acknowledged, disk.Acknowledged, collection);
            int at = next;
            model.After(Seed, ref at, disk.Acknowledged, disk.Tried, collection).Check(collection);
            looked++;
        }
        Assert.True(looked >= Points, $"{looked} points of {calls.Count} calls");
    }

    private static IEnumerable<Call> Calls(string trace)
    {
        Dictionary<string, string> begun = [];
        foreach (string line in File.ReadLines(trace))
        {
            string process = line[..line.IndexOf(' ')], call = line[(process.Length + 1)..].TrimStart();
            if (call.EndsWith("<unfinished ...>", StringComparison.Ordinal))
            {
                begun[process] = call[..^"<unfinished ...>".Length];
                continue;
            }
            if (Resumed().Match(call) is { Success: true } resumed) call = begun[process] + call[resumed.Length..];
            if (Whole().Match(call) is not { Success: true } whole || whole.Groups[3].Value.StartsWith('-')) continue;
            string arguments = whole.Groups[2].Value.TrimEnd();
            Match file = OpenFile().Match(arguments);
            byte[][] texts = [.. Text().Matches(arguments).Select(static text => Bytes(text.Groups[1].Value))];
            yield return new(whole.Groups[1].Value, file.Success ? Plain(file.Groups[1].Value) : "", texts, arguments);
        }
    }

    // With -xx strace writes the paths of open files in hexadecimal, too.
    private static string Plain(string path) =>
        path.StartsWith("\\x", StringComparison.Ordinal) ? Encoding.UTF8.GetString(Bytes(path)) : path;

    private static byte[] Bytes(string escaped) => Convert.FromHexString(escaped.Replace("\\x", ""));

    [GeneratedRegex(@"^<\.\.\. \w+ resumed>\s*")]
    private static partial Regex Resumed();

    [GeneratedRegex(@"^(\w+)\((.*)\)\s+= (-?\d+)")]
    private static partial Regex Whole();

    [GeneratedRegex(@"^\d+<([^>]*)>")]
    private static partial Regex OpenFile();

    [GeneratedRegex("\"((?:\\\\x[0-9a-f]{2})*)\"")]
    private static partial Regex Text();

    private sealed record Call(string Name, string Path, byte[][] Texts, string Arguments)
    {
        /// <summary>What a write to a pipe says: the engine's words of its batches.</summary>
        public string Says => Path.StartsWith("pipe:", StringComparison.Ordinal) ? Encoding.UTF8.GetString(Texts[0]).Trim() : "";

        public long LastNumber => long.Parse(Arguments[(Arguments.LastIndexOf(' ') + 1)..]);
    }

    /// <summary>The files of the log: what calls made of them, and what of that is on the disk.</summary>
    private sealed class Disk(string folder)
    {
        private const int Sector = 512;

        private readonly Dictionary<string, OneFile> _names = [];
        private readonly List<(string? From, string? To, OneFile File)> _unsyncedNames = [];
        private Dictionary<string, OneFile> _syncedNames = [];

        public int Tried { get; private set; }

        public int Acknowledged { get; private set; }

        public void Take(Call call)
        {
            if (call.Name == "write" && call.Says.Split(' ') is [string what, string number])
            {
                if (what == "try") Tried = int.Parse(number) + 1;
                if (what == "done") Acknowledged = int.Parse(number) + 1;
            }
            bool isNamed = call.Name is "openat" or "link" or "linkat" or "unlink" or "unlinkat" or "rename" or "renameat" or "renameat2";
            string path = isNamed ? Encoding.UTF8.GetString(call.Texts[0]) : call.Path;
            if (path == folder && call.Name == "fsync")
            {
                _syncedNames = new(_names);
                _unsyncedNames.Clear();
            }
            string name = Path.GetFileName(path);
            if (Path.GetDirectoryName(path) != folder || !(name.EndsWith(".log", StringComparison.Ordinal) || name == "next.new")) return;
            switch (call.Name)
            {
                case "openat" when call.Arguments.Contains("O_CREAT"):
                    if (!_names.TryGetValue(name, out OneFile? file)) Rename(null, name, file = new());
                    if (call.Arguments.Contains("O_TRUNC")) file.Cache.SetLength(0);
                    break;
                case "ftruncate":
                    _names[name].Cache.SetLength(call.LastNumber);
                    break;
                case "fallocate":
                    _names[name].Cache.SetLength(Math.Max(_names[name].Cache.Length, call.LastNumber));
                    break;
                case "pwrite64":
                    _names[name].Write(call.LastNumber, call.Texts[0]);
                    break;
                case "link" or "linkat":
                    Rename(null, Path.GetFileName(Encoding.UTF8.GetString(call.Texts[1])), _names[name]);
                    break;
                case "unlink" or "unlinkat":
                    Rename(name, null, _names[name]);
                    break;
                case "pwritev" or "write":
                    throw new NotSupportedException($"The log is not known to do that: {call.Name} {name}.");
                case "fsync" or "fdatasync":
                    _names[name].Sync();
                    break;
                case "rename" or "renameat" or "renameat2":
                    Rename(name, Path.GetFileName(Encoding.UTF8.GetString(call.Texts[1])), _names[name]);
                    break;
            }
        }

        public void LosePower(string to, Random random)
        {
            Dictionary<string, OneFile> names = new(_syncedNames);
            // Names change in their order.
            foreach ((string? from, string? name, OneFile file) in _unsyncedNames.Take(random.Next(_unsyncedNames.Count + 1)))
                Change(names, from, name, file);
            foreach ((string name, OneFile file) in names) File.WriteAllBytes(Path.Combine(to, name), file.LosePower(random));
        }

        private void Rename(string? from, string? to, OneFile file)
        {
            Change(_names, from, to, file);
            _unsyncedNames.Add((from, to, file));
        }

        private static void Change(Dictionary<string, OneFile> names, string? from, string? to, OneFile file)
        {
            if (from is not null) names.Remove(from);
            if (to is not null) names[to] = file;
        }

        private sealed class OneFile
        {
            private readonly SortedSet<long> _unsynced = [];
            private byte[] _synced = [];

            public MemoryStream Cache { get; } = new();

            public void Write(long at, byte[] bytes)
            {
                Cache.Position = at;
                Cache.Write(bytes);
                for (long sector = at / Sector; sector * Sector < at + bytes.Length; sector++) _unsynced.Add(sector);
            }

            public void Sync()
            {
                _synced = Cache.ToArray();
                _unsynced.Clear();
            }

            /// <summary>Loses all that was not synced, none of it, or any half.</summary>
            public byte[] LosePower(Random random)
            {
                int keeps = random.Next(3);
                byte[] now = Cache.ToArray(), disk = [.. _synced];
                if (keeps == 0) return disk;
                Array.Resize(ref disk, Math.Max(_synced.Length, now.Length));
                foreach (int at in _unsynced.Select(static sector => (int)(sector * Sector)))
                    if (at < now.Length && (keeps == 1 || random.Next(2) == 0))
                        now.AsSpan(at, Math.Min(Sector, now.Length - at)).CopyTo(disk.AsSpan(at));
                return disk;
            }
        }
    }
}

/// <summary>A test for long runs, where there is strace.</summary>
internal sealed class StraceTheoryAttribute : TheoryAttribute
{
    public StraceTheoryAttribute()
    {
        if (Environment.GetEnvironmentVariable("MEMPRIMS_LONG") != "1") Skip = "It runs with MEMPRIMS_LONG=1.";
        else if (!File.Exists("/usr/bin/strace")) Skip = "It needs strace, which is not here.";
    }
}
