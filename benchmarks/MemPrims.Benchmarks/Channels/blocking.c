// The peers in C of the channel benchmarks: what a C program would write to exchange messages with another process. Two processes, this
// one and its child. Built with: gcc -O3 -march=native -o blocking blocking.c
//
// It reads lines "kind op size count cpu other spin server client sleep detail" from standard input and answers each by one line.
//   kind    p  a SEQPACKET socket, sendmsg and recvmsg: a packet is a message.
//           s  a STREAM socket, four bytes of length before each message.
//           r  a ring in shared memory; the waiting side pauses in a loop, and yields once in 1,000 pauses.
//           f  the same ring; the waiting side sleeps on a futex at once.
//   op      e  round trips.   t  messages one way; the child answers the last by one byte.   c  tells what reading the clock costs.
//   cpu     where this process runs; other: where the child runs; -1: as placed.
//   spin    microseconds in which p and s ask with MSG_DONTWAIT before they block.
//   server, client: steps of computing for each message, half to one and a half of it, drawn anew each time. sleep: nanoseconds that
//           the client sleeps before each message.
//   detail  1: 20 trips first that do not count, then the nanoseconds of every trip and the processor time of both processes.
//           0: the nanoseconds of all trips together and the processor time, without trips that do not count.
// The rings check nothing, know no deadline and do not notice a peer's death. That is what makes them the strongest peers.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1 << 20, STEP = 1 << 16, AHEAD = 1 << 16, SMALL = 8192, UNCOUNTED = 20 };

// One direction. Each position has a line of its own: the other processor writes the other one.
struct ring {
    _Alignas(128) uint32_t head;
    _Alignas(128) uint32_t tail;
    // Whether the reader sleeps on the head, and the writer on the tail. Each clears its own: cleared by the one that wakes, a sleep that
    // begins in that moment would be lost.
    _Alignas(128) uint32_t sleeps[2];
    _Alignas(128) char bytes[ROOM];
};

struct order { char op; size_t count; };

static char kind, *payload, ahead[AHEAD];
static size_t have, at;
static int spin, end = -1;
static struct ring *out, *in;

static void fail(const char *what) { perror(what); exit(1); }

static void pin(int cpu) {
    if (cpu < 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set)) fail("sched_setaffinity");
}

static int64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// The same steps as Work.cs takes: a chain of a multiplication and an addition.
static void work(int64_t steps) {
    static uint64_t seed = 88172645463325252ull;
    static volatile uint64_t sink __attribute__((unused));
    if (!steps) return;
    seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
    uint64_t x = seed;
    for (int64_t n = steps / 2 + seed % steps; n > 0; n--) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        __asm__ volatile("" : "+r"(x));
    }
    sink = x;
}

// ---- the rings

static uint32_t changed(struct ring *r, uint32_t *word, uint32_t old) {
    uint32_t v;
    for (int n = 1; (v = __atomic_load_n(word, __ATOMIC_ACQUIRE)) == old; n++) {
        if (kind == 'r') {
            if (n % 1000) __builtin_ia32_pause();
            else sched_yield();
            continue;
        }
        uint32_t *sleeps = &r->sleeps[word == &r->tail];
        __atomic_store_n(sleeps, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == old) syscall(SYS_futex, word, FUTEX_WAIT, old, NULL, NULL, 0);
        __atomic_store_n(sleeps, 0, __ATOMIC_RELEASE);
    }
    return v;
}

static void publish(struct ring *r, uint32_t *word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    if (kind == 'r') return;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&r->sleeps[word == &r->tail], __ATOMIC_RELAXED)) return;
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void copy(struct ring *r, uint32_t position, char *mine, size_t n, int inward) {
    size_t from = position % ROOM, first = n < ROOM - from ? n : ROOM - from;
    if (inward) { memcpy(r->bytes + from, mine, first); memcpy(r->bytes, mine + first, n - first); }
    else { memcpy(mine, r->bytes + from, first); memcpy(mine + first, r->bytes, n - first); }
}

// The length and the first part are published together: a small message costs one store that the other side waits for.
static void ring_put(size_t size) {
    uint32_t head = out->head, tail = __atomic_load_n(&out->tail, __ATOMIC_ACQUIRE), length = size, prefix = sizeof length;
    for (size_t done = 0; done < size; prefix = 0) {
        size_t part = size - done < STEP ? size - done : STEP;
        while (ROOM - (head - tail) < part + prefix) tail = changed(out, &out->tail, tail);
        if (prefix) copy(out, head, (char *)&length, prefix, 1);
        copy(out, head + prefix, payload + done, part, 1);
        head += prefix + part;
        done += part;
        publish(out, &out->head, head);
    }
}

static size_t ring_get(void) {
    uint32_t tail = in->tail, head = __atomic_load_n(&in->head, __ATOMIC_ACQUIRE), length = 0, prefix = sizeof length;
    size_t done = 0;
    do {
        while (head == tail) head = changed(in, &in->head, head);
        if (prefix) copy(in, tail, (char *)&length, prefix, 0);
        size_t part = length - done < STEP ? length - done : STEP;
        copy(in, tail + prefix, payload + done, part, 0);
        tail += prefix + part;
        prefix = 0;
        done += part;
        publish(in, &in->tail, tail);
    } while (done < length);
    return length;
}

// ---- the sockets

static ssize_t take(struct iovec *v, int count) {
    struct msghdr m = { .msg_iov = v, .msg_iovlen = count };
    int64_t until = spin ? now(CLOCK_MONOTONIC) + spin * 1000LL : 0;
    while (1) {
        ssize_t n = recvmsg(end, &m, until ? MSG_DONTWAIT : 0);
        if (n >= 0) return n;
        if (errno != EAGAIN) fail("recvmsg");
        if (now(CLOCK_MONOTONIC) > until) until = 0;
    }
}

static void put(size_t size) {
    if (kind == 'r' || kind == 'f') { ring_put(size); return; }
    uint32_t length = size;
    struct iovec v[2] = { { &length, sizeof length }, { payload, size } };
    struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
    if (kind == 'p') { m.msg_iov = v + 1; m.msg_iovlen = 1; }
    size_t all = kind == 'p' ? size : size + sizeof length;
    ssize_t n = sendmsg(end, &m, MSG_NOSIGNAL);
    if (n < (ssize_t)sizeof length && n < (ssize_t)all) fail("sendmsg");
    for (size_t done = n; done < all; done += n)
        if ((n = send(end, payload + size - (all - done), all - done, MSG_NOSIGNAL)) < 0) fail("send");
}

// In a round trip only one message can be there: its length and what has come of it are taken by one call. In a row of small messages
// the stream is read as far as it has come, and messages are taken from what was read. In a row of large ones the length comes alone.
static size_t get(size_t size, int row) {
    if (kind == 'r' || kind == 'f') return ring_get();
    uint32_t length = 0;
    struct iovec v[2] = { { &length, sizeof length }, { payload, size } };
    if (kind == 'p') return take(v + 1, 1);
    size_t done = 0;
    if (row && size <= SMALL) {
        while (have < sizeof length || have < sizeof length + (memcpy(&length, ahead + at, sizeof length), length)) {
            memmove(ahead, ahead + at, have);
            at = 0;
            struct iovec more = { ahead + have, AHEAD - have };
            ssize_t n = take(&more, 1);
            if (n <= 0) fail("the end of the stream");
            have += n;
        }
        memcpy(payload, ahead + at + sizeof length, length);
        at += sizeof length + length;
        have -= sizeof length + length;
        return length;
    }
    while (done < sizeof length + size) {
        struct iovec rest = { payload + done - sizeof length, size + sizeof length - done };
        ssize_t n = done >= sizeof length ? take(&rest, 1) : take(v, row ? 1 : 2);
        if (n <= 0 || done + n < sizeof length) fail("the end of the stream");
        done += n;
    }
    return length;
}

// ---- both processes

static void serve(int orders, size_t size, int64_t steps) {
    struct order o;
    while (read(orders, &o, sizeof o) == sizeof o) {
        if (o.op == 't') put(1);
        for (size_t i = 0; i < o.count; i++) {
            size_t n = get(size, o.op == 't');
            work(steps);
            if (n != size) _exit(3);
            if (o.op == 'e') put(n);
        }
        if (o.op == 't') put(1);
    }
    _exit(0);
}

static void trip(size_t size, int i) {
    payload[0] = payload[size - 1] = i;
    put(size);
    if (get(size, 0) != size || payload[0] != (char)i || payload[size - 1] != (char)i) { fputs("another echo\n", stderr); exit(4); }
}

static int ascending(const void *a, const void *b) { return (*(int64_t *)a > *(int64_t *)b) - (*(int64_t *)a < *(int64_t *)b); }

static int64_t clock_cost(void) {
    enum { READINGS = 10001 };
    static int64_t d[READINGS];
    for (int i = 0; i < READINGS; i++) { d[i] = -now(CLOCK_MONOTONIC); d[i] += now(CLOCK_MONOTONIC); }
    qsort(d, READINGS, sizeof *d, ascending);
    return d[READINGS / 2];
}

static struct ring *ring_new(void) {
    void *p = mmap(NULL, sizeof(struct ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (p == MAP_FAILED) fail("mmap");
    return p;
}

static void end_child(pid_t child, int orders) {
    if (!child) return;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(orders);
    close(end);
    munmap(out, sizeof *out);
    munmap(in, sizeof *in);
    have = at = 0;
}

int main(void) {
    char line[256], setting[256], last[256] = "", op;
    size_t size, count;
    int cpu, other, detail, orders[2] = { -1, -1 }, pair[2];
    long long server, client, nap;
    pid_t child = 0;
    cpu_set_t before;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sched_getaffinity(0, sizeof before, &before);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%c %c %zu %zu %d %d %d %lld %lld %lld %d", &kind, &op, &size, &count, &cpu, &other, &spin, &server, &client,
            &nap, &detail) != 11) return 2;
        if (op == 'c') { printf("%lld \n", (long long)clock_cost()); fflush(stdout); continue; }
        snprintf(setting, sizeof setting, "%c %zu %d %d %lld", kind, size, other, spin, server);
        if (strcmp(setting, last)) {
            // A setting asked again goes on with its child.
            end_child(child, orders[1]);
            strcpy(last, setting);
            free(payload);
            payload = malloc(size + 8);
            memset(payload, 1, size);
            if (socketpair(AF_UNIX, kind == 'p' ? SOCK_SEQPACKET : SOCK_STREAM, 0, pair) || pipe(orders)) fail("socketpair");
            out = ring_new();
            in = ring_new();
            fflush(stdout);
            child = fork();
            if (child < 0) fail("fork");
            if (child == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                close(orders[1]);
                close(pair[0]);
                end = pair[1];
                struct ring *swap = out;
                out = in;
                in = swap;
                pin(other);
                serve(orders[0], size, server);
            }
            close(orders[0]);
            close(pair[1]);
            end = pair[0];
        }
        pin(cpu);
        size_t uncounted = op == 'e' && detail ? UNCOUNTED : 0;
        struct order o = { op, count + uncounted };
        if (write(orders[1], &o, sizeof o) != sizeof o) fail("write");
        for (size_t i = 0; i < uncounted; i++) trip(size, i);
        if (op == 't') get(1, 0);
        clockid_t theirs;
        clock_getcpuclockid(child, &theirs);
        int64_t *times = detail ? malloc(count * sizeof *times) : NULL;
        int64_t used = -now(CLOCK_PROCESS_CPUTIME_ID) - now(theirs), all = -now(CLOCK_MONOTONIC);
        for (size_t i = 0; i < count; i++) {
            if (op == 't') { payload[0] = i; put(size); continue; }
            if (nap) nanosleep(&(struct timespec){ 0, nap }, NULL);
            work(client);
            if (!detail) { trip(size, i); continue; }
            int64_t start = now(CLOCK_MONOTONIC);
            trip(size, i);
            times[i] = now(CLOCK_MONOTONIC) - start;
        }
        if (op == 't') get(1, 0);
        all += now(CLOCK_MONOTONIC);
        used += now(CLOCK_PROCESS_CPUTIME_ID) + now(theirs);
        if (op == 'e' && detail) for (size_t i = 0; i < count; i++) printf("%lld ", (long long)times[i]);
        else printf("%lld ", (long long)all);
        printf("%lld\n", (long long)used);
        fflush(stdout);
        free(times);
        sched_setaffinity(0, sizeof before, &before);
    }
    end_child(child, orders[1]);
    return 0;
}
