using System.Globalization;
using Rig;

// Usage: ROUNDS KEYS COPY... The first copy is the engine as it is, and is loaded a second time: what the two differ is what a figure is
// worth.
// In each round every copy does each operation once, in an order that turns. Prints a row for each operation.
CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
int rounds = int.Parse(args[0]), keys = int.Parse(args[1]);
// The runtime compiles anew what it finds hot, in the background, and only when nothing new was called for 100 ms.
const int WarmRounds = 20;
string folder = Directory.CreateTempSubdirectory("engines").FullName;
try
{
    string[] paths = [args[2], .. args[2..]];
    Operation[][] copies = [.. paths.Select((path, at) => Copy.Load(path, Path.Combine(folder, $"{at}"), keys))];
    double[][] ns = [.. copies.Select(_ => new double[rounds])];
    for (int row = 0; row < copies[0].Length; row++)
    {
        GC.Collect();
        for (int round = -WarmRounds; round < rounds; round++)
        {
            for (int turn = 0; turn < copies.Length; turn++)
            {
                int at = (round + WarmRounds + turn) % copies.Length;
                double took = copies[at][row].Time();
                if (round >= 0) ns[at][round] = took;
            }
        }
        var others = ns.Skip(1).Select(other => Spread.Of([.. ns[0].Zip(other, (first, second) => first / second)]));
        Console.WriteLine($"| {copies[0][row].Name} | {Spread.Median(ns[0]):F0} | {string.Join(" | ", others)} |");
    }
}
finally
{
    Directory.Delete(folder, true);
}
