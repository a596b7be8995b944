31,46c\
    return ~MemPrims.Checksum.Crc32C(~crc, data);
