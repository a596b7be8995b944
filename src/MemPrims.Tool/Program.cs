using MemPrims.Tool;

// What the user can put right is told in a sentence, not by a stack trace. A wrong setting shows when a method is compiled that names
// MemPrims. Nothing here does, and Commands is called inside the try.
try
{
    return Commands.Invoke(args);
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
