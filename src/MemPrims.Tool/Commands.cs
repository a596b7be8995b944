using System.CommandLine;

namespace MemPrims.Tool;

/// <summary>The commands of `memprims`, their options and help texts.</summary>
internal static class Commands
{
    public static int Invoke(string[] args)
    {
        Option<Tier?> expect = new("--expect")
        {
            Description = "The tier that should be in use; the command ends with 1 when another one is.",
        };
        expect.AcceptOnlyFromAmong(StringComparer.OrdinalIgnoreCase, Enum.GetNames<Tier>());
        Command doctor = new("doctor",
            "Tells which instruction tier, backend and checksum path MemPrims uses on this machine.") { expect };
        doctor.SetAction(parsed => DoctorCommand.Run(parsed.GetValue(expect)));

        Option<bool> json = new("--json") { Description = "Print the results as JSON instead of tables." };
        Command sweep = new("sweep",
            "Measures searches, then Block.Compare, Equal and Copy by size, beside .NET's own routines, in about a minute. "
            + "A ratio above 1 is in our favour.") { json };
        sweep.SetAction(parsed => SweepCommand.Run(parsed.GetValue(json)));

        return new RootCommand("MemPrims: memory primitives for storage engines.") { doctor, sweep }.Parse(args)
            .Invoke(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
    }
}
