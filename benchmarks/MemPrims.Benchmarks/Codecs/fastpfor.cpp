// What FastPForCases calls of FastPFor, as functions of C. FastPFor.cs says how to build it. Ids are made gaps and summed up again by
// FastPFor's own vectorised routines. Nobody checks what is decoded: FastPFor trusts its bytes.
#include <cstring>
#include "compositecodec.h"
#include "deltautil.h"
#include "simdbinarypacking.h"
#include "simdfastpfor.h"
#include "variablebyte.h"

using namespace FastPForLib;

static CompositeCodec<SIMDFastPFor<8>, VariableByte> fast;
static CompositeCodec<SIMDBinaryPacking, VariableByte> packing;

// The number of words written to `out`, which has room for 2 * count + 1024. `room` takes the gaps. Both lie at addresses that 16 divides.
extern "C" size_t fastpfor_encode(int packs, const uint32_t *ids, size_t count, uint32_t *room, uint32_t *out) {
    std::memcpy(room, ids, count * sizeof(uint32_t));
    Delta::fastDelta(room, count);
    size_t words = 2 * count + 1024;
    if (packs) packing.encodeArray(room, count, out, words);
    else fast.encodeArray(room, count, out, words);
    return words;
}

extern "C" size_t fastpfor_decode(int packs, const uint32_t *in, size_t words, uint32_t *ids, size_t count) {
    if (packs) packing.decodeArray(in, words, ids, count);
    else fast.decodeArray(in, words, ids, count);
    Delta::fastinverseDelta2(ids, count);
    return count;
}
