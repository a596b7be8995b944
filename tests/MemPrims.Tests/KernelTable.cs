using System.Collections;

namespace MemPrims.Tests;

// A routine under test. It is left out where the tier of this run lacks its instructions.
internal abstract class Kernel(string name, bool supported)
{
    public string Name { get; } = name;

    public bool Supported { get; } = supported;

    // Not so for what takes spans or an int.
    public bool Takes64BitLengths { get; init; } = true;
}

// All routines that do the same work. As the data of a theory it gives their names: a new kernel is tested everywhere once its row is in
// the table.
internal sealed class KernelTable<T>(params T[] rows) : IEnumerable<object[]> where T : Kernel
{
    public T this[string name] => rows.Single(row => row.Name == name);

    public IEnumerable<T> Supported => rows.Where(row => row.Supported);

    // The first one, the public entry, where not all is run: each takes seconds over 4 GiB.
    public IEnumerable<T> Takes64BitLengths =>
        Supported.Where(row => row.Takes64BitLengths).Take(LongRuns.Of(1, int.MaxValue));

    public IEnumerator<object[]> GetEnumerator() => Supported.Select(row => new object[] { row.Name }).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
