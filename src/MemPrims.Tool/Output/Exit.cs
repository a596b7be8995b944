namespace MemPrims.Tool.Output;

// What the command ends with.
internal static class Exit
{
    // Done; what was looked at is sound.
    public const int Ok = 0;

    // Nothing was done: the command line is wrong, or the file is missing, in use, or none of ours.
    public const int Usage = 1;

    // The file is damaged.
    public const int Damaged = 2;

    // What was to be checked does not hold, as another tier than the one expected.
    public const int CheckFailed = 3;
}
