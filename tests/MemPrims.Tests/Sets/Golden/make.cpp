// Makes the golden files of this folder with CRoaring 0.2.66, the one in Debian 12:
//   apt-get install g++ libroaring-dev
//   g++ make.cpp -lroaring -o make && ./make
// The ids are those of GoldenTests.Ids, one function each.
#include <cstdint>
#include <cstdio>
#include <roaring/roaring.hh>
#include <roaring/roaring64map.hh>
#include <string>
#include <vector>

template <class Set>
static void write(const char *name, Set &set, bool optimize) {
    if (optimize) set.runOptimize();
    std::string bytes(set.getSizeInBytes(true), '\0');
    set.write(&bytes[0], true);
    FILE *file = fopen(name, "wb");
    fwrite(bytes.data(), 1, bytes.size(), file);
    fclose(file);
}

int main() {
    Roaring scattered;
    for (uint32_t i = 0; i < 300; i++) scattered.add(i * 997);
    for (uint32_t i = 0; i < 5000; i++) scattered.add(0x100000 + i * 13);
    scattered.add(0xFFFFFFFF);
    write("scattered.roaring", scattered, false);

    Roaring fewRuns;
    for (uint32_t i = 1000; i < 9000; i++) fewRuns.add(i);
    for (uint32_t i = 0; i < 40; i++) fewRuns.add(0x50000 + i * 7);
    write("few-runs.roaring", fewRuns, true);

    Roaring manyRuns;
    for (uint32_t i = 0; i < 5 * 65536; i++)
        if (i % 100 < 90) manyRuns.add(i);
    for (uint32_t i = 0; i < 4096; i++) manyRuns.add(0x70000 + i * 2);
    for (uint32_t i = 0; i < 4097; i++) manyRuns.add(0x80000 + i * 2);
    for (uint32_t i = 0; i < 65536; i++) manyRuns.add(0xA0000 + i);
    write("many-runs.roaring", manyRuns, true);

    Roaring64Map wide;
    for (uint64_t i = 0; i < 500; i++) wide.add(i * i * i * 1000003);
    for (uint64_t i = 0; i < 300; i++) wide.add((uint64_t{7} << 40) + i);
    write("wide.roaring64", wide, true);
}
