using MemPrims.Tool;

// What the user can put right is told in one line, not by a stack trace. A wrong setting shows when a method is compiled that names
// MemPrims. Nothing here does, and Commands is called inside the try.
try
{
    return Commands.Invoke(args);
}
catch (TypeInitializationException e) when (e.GetBaseException() is NotSupportedException reason)
{
    return Failure.Tell(Exit.Usage, $"MemPrims does not start: {reason.Message}");
}
catch (Exception e) when (Failure.CodeOf(e) is { } code)
{
    return Failure.Tell(code, e.Message);
}
