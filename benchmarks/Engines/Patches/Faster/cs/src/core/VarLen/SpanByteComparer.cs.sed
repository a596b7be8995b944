26s/return .*/return (long)MemPrims.Block.Hash(ptr + sizeof(int), spanByte.Length);/
31s/return .*/return (long)MemPrims.Block.Hash(ptr, spanByte.Length);/
