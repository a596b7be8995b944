// All that a project which used System.Buffer changes. The tests lie outside the namespace MemPrims, as their users do.
global using Buffer = MemPrims.DropIn.Buffer;
