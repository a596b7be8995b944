namespace MemPrims.Systems;

/// <summary>Windows, as far as the runtime knows it.</summary>
internal sealed class WindowsFile : SystemFile;
