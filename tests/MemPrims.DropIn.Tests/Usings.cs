// All that a project which used System.Buffer changes. The tests lie outside the namespace MemPrims, as their users do.
// README
global using Buffer = MemPrims.DropIn.Buffer;
// end of README
