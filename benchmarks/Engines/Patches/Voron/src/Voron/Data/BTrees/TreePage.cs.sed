106c\
                byte* sought = key.Content.Ptr;\
                int length = key.Size;
115,119c\
                    lastMatch = MemPrims.Block.Compare(sought, (byte*)node + Constants.Tree.NodeHeaderSize, Math.Min(length, node->KeySize));\
                    if (lastMatch == 0) lastMatch = length - node->KeySize;
