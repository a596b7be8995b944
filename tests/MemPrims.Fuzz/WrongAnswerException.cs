using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Fuzz;

/// <summary>A reader took what it should refuse, refused what it should take, or answered wrong.</summary>
internal sealed class WrongAnswerException(string message) : Exception(message)
{
    public static void Unless([DoesNotReturnIf(false)] bool isRight, string what)
    {
        if (!isRight) throw new WrongAnswerException(what);
    }
}
