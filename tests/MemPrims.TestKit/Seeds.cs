namespace MemPrims.TestKit;

// Where randomness in tests comes from: a fixed seed by default, so that CI repeats itself; another one by the variable MEMPRIMS_SEED.
// Scale multiplies the rounds of long tests (MEMPRIMS_SCALE, 1 in CI).
public static class Seeds
{
    public static int Seed { get; } = Number("MEMPRIMS_SEED", 20_260_101);

    public static int Scale { get; } = Number("MEMPRIMS_SCALE", 1);

    public static Random Random(int salt = 0) => new(Seed + salt);

    private static int Number(string variable, int otherwise) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), out int number) ? number : otherwise;
}
