10,17c\
    int order = MemPrims.Block.Compare(spanX[..len], spanY[..len]);\
    if (order != 0) return order;
