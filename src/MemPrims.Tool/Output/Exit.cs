namespace MemPrims.Tool.Output;

/// <summary>What the command ends with.</summary>
internal static class Exit
{
    /// <summary>Done; what was looked at is sound.</summary>
    public const int Ok = 0;

    /// <summary>Nothing was done: the command line is wrong, or the file is missing, in use, or none of ours.</summary>
    public const int Usage = 1;

    /// <summary>The file is damaged.</summary>
    public const int Damaged = 2;

    /// <summary>What was to be checked does not hold, as another tier than the one expected.</summary>
    public const int CheckFailed = 3;
}
