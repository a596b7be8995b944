global using MemPrims.Channels.Link;
global using MemPrims.Channels.Native;
global using MemPrims.Channels.Ring;
global using MemPrims.Linux;
global using MemPrims.Shared;
