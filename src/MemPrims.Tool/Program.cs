using System.CommandLine;
using MemPrims;
using MemPrims.Tool;

Option<Tier?> expect = new("--expect") { Description = "The tier that should be in use; the command ends with 1 when another one is." };
expect.AcceptOnlyFromAmong(StringComparer.OrdinalIgnoreCase, Enum.GetNames<Tier>());
Command doctor = new("doctor", "Tells which instruction tier, backend and checksum path MemPrims uses on this machine.") { expect };
doctor.SetAction(parsed => Clearly(() => DoctorCommand.Run(parsed.GetValue(expect))));

Option<bool> json = new("--json") { Description = "Print the results as JSON instead of tables." };
Command sweep = new("sweep",
    "Measures searches, then Block.Compare, Equal and Copy by size, beside .NET's own routines, in about a minute. "
    + "A ratio above 1 is in our favour.") { json };
sweep.SetAction(parsed => Clearly(() => SweepCommand.Run(parsed.GetValue(json))));

// What the user can put right is told in a sentence, not by a stack trace.
static int Clearly(Func<int> command)
{
    try
    {
        return command();
    }
    catch (TypeInitializationException e) when (e.GetBaseException() is NotSupportedException reason)
    {
        Console.Error.WriteLine($"MemPrims does not start: {reason.Message}");
    }
    catch (IOException e)
    {
        Console.Error.WriteLine($"The output could not be written: {e.Message}");
    }
    return 1;
}

return new RootCommand("MemPrims: memory primitives for storage engines.") { doctor, sweep }.Parse(args).Invoke();
