// The entry of every test project: what `Child.Run` starts in a process of its own, and, with the word `run`, the tests themselves.
internal static class TestProgram
{
    private static int Main(string[] args) => args is ["run", .. var words]
        ? MemPrims.TestKit.TestRun.Main(typeof(TestProgram).Assembly, words)
        : MemPrims.TestKit.Child.Main(typeof(TestProgram).Assembly, args);
}
