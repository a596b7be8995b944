102,136c\
                ReadOnlySpan<byte> sought = new(key.Content.Ptr, key.Size);\
                bool found;\
                lastSearchPosition = IsLeaf ? MemPrims.Pages.SlotSearch.Find<LeafSlots>(Base, sought, out found)\
                    : MemPrims.Pages.SlotSearch.Find<BranchSlots>(Base, sought, out found) + 1;\
                lastMatch = found ? 0 : lastSearchPosition < numberOfEntries ? -1 : 1;
185i\
        private readonly struct LeafSlots : MemPrims.Pages.ISlotLayout\
        {\
            public static int Count(byte* page) => (((TreePageHeader*)page)->Lower - Constants.Tree.PageHeaderSize) / Constants.Tree.NodeOffsetSize;\
\
            public static byte* Node(byte* page, int slot) => page + ((ushort*)(page + Constants.Tree.PageHeaderSize))[slot];\
\
            public static byte* Key(byte* node, out int length)\
            {\
                length = ((TreeNodeHeader*)node)->KeySize;\
                return node + Constants.Tree.NodeHeaderSize;\
            }\
        }\
\
        // The first entry of a branch has no key.\
        private readonly struct BranchSlots : MemPrims.Pages.ISlotLayout\
        {\
            public static int Count(byte* page) => LeafSlots.Count(page) - 1;\
\
            public static byte* Node(byte* page, int slot) => LeafSlots.Node(page, slot + 1);\
\
            public static byte* Key(byte* node, out int length) => LeafSlots.Key(node, out length);\
        }\

