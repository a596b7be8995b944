// The entry of every test project: what `Child.Run` starts in a process of its own.
internal static class TestProgram
{
    private static int Main(string[] args) => MemPrims.TestKit.Child.Main(typeof(TestProgram).Assembly, args);
}
