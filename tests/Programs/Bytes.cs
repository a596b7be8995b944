#:package MemPrims@*-*
using MemPrims;
using MemPrims.Buffers;
using MemPrims.Codecs;

// Written by an appender, read back, damaged and told.
using SegmentList list = new();
using Appender to = new(list);
to.WriteVarint(300);
to.WriteText("name");
to.Commit();
byte[] bytes = list.ToArray();
SpanReader from = new(bytes);
Console.WriteLine($"{from.ReadVarint()} {from.ReadText()}");        // 300 name
Console.WriteLine(Varint.Read(bytes, out ulong number, out int used));              // Done
Console.WriteLine($"{number} in {used} bytes");                     // 300 in 2 bytes

byte[][] keys = ["orders/29"u8.ToArray(), "orders/17"u8.ToArray()];
Array.Sort(keys, BlockComparer.Instance);
Console.WriteLine(Block.CommonPrefix(keys[0], keys[1]));            // 7
Console.WriteLine(Block.Compare(keys[0], keys[1]) < 0);             // True
