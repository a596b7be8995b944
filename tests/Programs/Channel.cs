#:package MemPrims.Channels@*-*
using System.Text;
using MemPrims.Channels;

// An engine and its worker; here both are in one process.
string path = Path.Combine(Path.GetTempPath(), $"memprims-{Environment.ProcessId}");
using IpcListener listener = IpcListener.Listen(path);
using IpcChannel worker = IpcChannel.Connect(path);
using IpcChannel engine = listener.Accept(TimeSpan.FromSeconds(5));

engine.Send("hello"u8);
byte[] buffer = new byte[100];
int length = worker.Receive(buffer);
Console.WriteLine(Encoding.UTF8.GetString(buffer, 0, length));      // hello
engine.Dispose();
Console.WriteLine(worker.Receive(buffer));                          // -1: closed
