// exchange.js FOLDER, with npm's roaring or roaring-wasm, whose folder MEMPRIMS_ROARING_NODE names. Exchange.java
// says what it writes; sets of 32 bits only.
const fs = require('fs'), path = require('path');
const { RoaringBitmap32 } = require(process.env.MEMPRIMS_ROARING_NODE);

for (const file of fs.readdirSync(process.argv[2]).filter(file => file.endsWith('.set'))) {
    const name = path.join(process.argv[2], file.slice(0, -4));
    const read = RoaringBitmap32.deserialize('portable', fs.readFileSync(name + '.set')), made = new RoaringBitmap32();
    const ids = read.toUint32Array();
    for (const id of ids) made.add(id);
    made.runOptimize();
    fs.writeFileSync(name + '.ids', new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
    fs.writeFileSync(name + '.back', read.serialize('portable'));
    fs.writeFileSync(name + '.made', made.serialize('portable'));
}
