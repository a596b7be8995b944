namespace MemPrims.Fuzz;

/// <summary>
/// A reader of foreign bytes and its oracle. Whatever the input: the answer is right, or one of the exceptions that the reader's page
/// names comes. All else leaves <see cref="Run"/> as an exception, or ends the process by a fault.
/// </summary>
internal abstract class Target
{
    /// <summary>Also the name of its folder in the corpus.</summary>
    public abstract string Name { get; }

    /// <summary>So many of an input's first bytes choose what is done. The rest is the foreign bytes.</summary>
    public virtual int HeadBytes => 1;

    /// <summary>How many mutations `dotnet test` tries: about a second of them.</summary>
    public abstract int Rounds { get; }

    /// <summary>
    /// Whether AFL's inputs each begin after a collection, of half a millisecond: for targets whose objects have finalizers, or lie where
    /// kernels look at their addresses.
    /// </summary>
    public virtual bool BeginsSettled => false;

    /// <summary>Inputs made by the library's own writers.</summary>
    public abstract IEnumerable<byte[]> Seeds();

    /// <summary>Reads the bytes in every way, and compares.</summary>
    /// <exception cref="WrongAnswerException">The ways, or the reader and its model, do not agree.</exception>
    public abstract void Run(ReadOnlySpan<byte> head, GuardedInput input);

    /// <summary>What must hold after any number of inputs: nothing was left open.</summary>
    public virtual void CheckEnd()
    {
    }

    /// <summary>All targets, by name.</summary>
    public static IReadOnlyList<Target> All { get; } =
    [
        new CodecTarget(), new PackedIdsTarget(), new IdSetTarget<Sets.IdSet, uint>("idset"),
        new IdSetTarget<Sets.IdSet64, ulong>("idset64"), new FacetTarget(),
        new PageTarget(), new TreeTarget(), new SchemaTarget(), new WireTarget(), new JsonTarget(), new RecordTarget(), new LogTarget(),
        new PacketTarget(), new RingTarget(),
    ];

    public static Target Named(string name) => All.FirstOrDefault(target => target.Name == name)
        ?? throw new ArgumentException($"There is no target {name}. Take one of {string.Join(", ", All.Select(target => target.Name))}.");
}
