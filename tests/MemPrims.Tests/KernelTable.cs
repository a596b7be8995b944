using System.Collections;

namespace MemPrims.Tests;

// A routine under test. It is left out where the tier of this run lacks its instructions.
internal sealed class Kernel<TRoutine>(string name, bool supported, TRoutine run) where TRoutine : Delegate
{
    public string Name { get; } = name;

    public bool Supported { get; } = supported;

    public TRoutine Run { get; } = run;

    // Not so for what takes spans or an int.
    public bool Takes64BitLengths { get; init; } = true;
}

// All routines that do the same work. As the data of a theory it gives their names: a new kernel is tested everywhere once its row is in
// the table.
internal sealed class KernelTable<TRoutine>(params Kernel<TRoutine>[] rows) : IEnumerable<object[]> where TRoutine : Delegate
{
    public Kernel<TRoutine> this[string name] => rows.Single(row => row.Name == name);

    public IEnumerable<Kernel<TRoutine>> Supported => rows.Where(row => row.Supported);

    // The first one, the public entry, where not all is run: each takes seconds over 4 GiB.
    public IEnumerable<Kernel<TRoutine>> Takes64BitLengths =>
        Supported.Where(row => row.Takes64BitLengths).Take(LongRuns.Of(1, int.MaxValue));

    public IEnumerator<object[]> GetEnumerator() => Supported.Select(row => new object[] { row.Name }).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
