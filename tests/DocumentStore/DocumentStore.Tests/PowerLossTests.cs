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
        string trace = Path.Combine(other.Path, "trace"), store = Path.Combine("new", "folders", "store");
        using (Engine engine = new(Path.Combine(folder.Path, store), Seed, from: 0, 0, compacts, "strace", "-f", "-y", "-xx", "-s",
            "2000000", "-o", trace, "-e", "trace=openat,write,pwrite64,pwritev,ftruncate,fallocate,fsync,fdatasync,mkdir,mkdirat,link,"
                + "linkat,rename,renameat,renameat2,unlink,unlinkat,rmdir"))
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
            using Collection collection = Collection.Open(Path.Combine(copy.Path, store), Model.Definition, Engine.Options);
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

    /// <summary>
    /// The folders and the files of the log: what calls made of them, and what of that is on the disk. The folder that all lie in lasts.
    /// </summary>
    private sealed class Disk(string root)
    {
        private const int Sector = 512;

        private readonly OneFolder _root = new();

        public int Tried { get; private set; }

        public int Acknowledged { get; private set; }

        public void Take(Call call)
        {
            if (call.Name == "write" && call.Says.Split(' ') is [string what, string number])
            {
                if (what == "try") Tried = int.Parse(number) + 1;
                if (what == "done") Acknowledged = int.Parse(number) + 1;
            }
            bool takesPath = call.Name is "openat" or "mkdir" or "mkdirat" or "link" or "linkat" or "rename" or "renameat" or "renameat2"
                or "unlink" or "unlinkat" or "rmdir";
            string path = takesPath ? Encoding.UTF8.GetString(call.Texts[0]) : call.Path;
            if (call.Name == "fsync" && Find(path) is OneFolder synced) synced.Sync();
            if (Find(Path.GetDirectoryName(path)) is not OneFolder folder) return;
            string name = Path.GetFileName(path);
            if (call.Name is "mkdir" or "mkdirat")
            {
                OneFolder made = new();
                folder.Change(names => names[name] = made);
            }
            if (!name.EndsWith(".log", StringComparison.Ordinal) && name != "next.new") return;
            OneFile? file = folder.Names.GetValueOrDefault(name) as OneFile;
            switch (call.Name)
            {
                case "openat" when call.Arguments.Contains("O_CREAT"):
                    if (file is null) folder.Change(names => names[name] = file = new());
                    if (call.Arguments.Contains("O_TRUNC")) file!.Cache.SetLength(0);
                    break;
                case "ftruncate":
                    file!.Cache.SetLength(call.LastNumber);
                    break;
                case "fallocate":
                    file!.Cache.SetLength(Math.Max(file.Cache.Length, call.LastNumber));
                    break;
                case "pwrite64":
                    file!.Write(call.LastNumber, call.Texts[0]);
                    break;
                case "pwritev" or "write" or "rmdir":
                    throw new NotSupportedException($"The log is not known to do that: {call.Name} {name}.");
                case "fsync" or "fdatasync":
                    file!.Sync();
                    break;
                case "link" or "linkat" or "rename" or "renameat" or "renameat2":
                    string to = Encoding.UTF8.GetString(call.Texts[1]);
                    if (Path.GetDirectoryName(to) != Path.GetDirectoryName(path))
                        throw new NotSupportedException($"{path} moved to {to}.");
                    bool stays = call.Name is "link" or "linkat";
                    folder.Change(names =>
                    {
                        names[Path.GetFileName(to)] = file!;
                        if (!stays) names.Remove(name);
                    });
                    break;
                case "unlink" or "unlinkat":
                    folder.Change(names => names.Remove(name));
                    break;
            }
        }

        public void LosePower(string to, Random random) => _root.LosePower(to, random);

        private object? Find(string? path)
        {
            if (path is null || path != root && !path.StartsWith(root + '/', StringComparison.Ordinal)) return null;
            object? there = _root;
            foreach (string name in path[root.Length..].Split('/', StringSplitOptions.RemoveEmptyEntries))
                there = (there as OneFolder)?.Names.GetValueOrDefault(name);
            return there;
        }

        private sealed class OneFolder
        {
            private readonly List<Action<Dictionary<string, object>>> _unsynced = [];
            private Dictionary<string, object> _synced = [];

            public Dictionary<string, object> Names { get; } = [];

            public void Change(Action<Dictionary<string, object>> change)
            {
                change(Names);
                _unsynced.Add(change);
            }

            public void Sync()
            {
                _synced = new(Names);
                _unsynced.Clear();
            }

            // Names change in their order.
            public void LosePower(string to, Random random)
            {
                Dictionary<string, object> names = new(_synced);
                foreach (Action<Dictionary<string, object>> change in _unsynced.Take(random.Next(_unsynced.Count + 1))) change(names);
                foreach ((string name, object what) in names)
                {
                    string path = Path.Combine(to, name);
                    if (what is OneFile file) File.WriteAllBytes(path, file.LosePower(random));
                    else ((OneFolder)what).LosePower(Directory.CreateDirectory(path).FullName, random);
                }
            }
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
