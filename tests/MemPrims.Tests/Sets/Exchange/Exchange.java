// Exchange.java FOLDER, with RoaringBitmap (org.roaringbitmap, Spark's library) on the class path. Each set of the folder is read and
// written: x.set, x.set64 → x.back: as it was read; x.ids: its ids, little-endian; x.made: the same ids, added one by one, with runs optimized.
import java.io.*;
import java.nio.*;
import java.nio.file.*;
import java.util.stream.*;
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

public class Exchange {
    public static void main(String[] arguments) throws IOException {
        for (File file : new File(arguments[0]).listFiles()) {
            String path = file.getPath();
            if (path.endsWith(".set")) small(path.substring(0, path.length() - 4), Files.readAllBytes(file.toPath()));
            if (path.endsWith(".set64")) wide(path.substring(0, path.length() - 6), Files.readAllBytes(file.toPath()));
        }
    }

    private static void small(String name, byte[] bytes) throws IOException {
        RoaringBitmap read = new RoaringBitmap(), made = new RoaringBitmap();
        read.deserialize(ByteBuffer.wrap(bytes));
        int[] ids = read.toArray();
        ByteBuffer raw = ByteBuffer.allocate(ids.length * 4).order(ByteOrder.LITTLE_ENDIAN);
        raw.asIntBuffer().put(ids);
        for (int id : ids) made.add(id);
        made.runOptimize();
        Files.write(Path.of(name + ".ids"), raw.array());
        try (DataOutputStream to = to(name + ".back")) { read.serialize(to); }
        try (DataOutputStream to = to(name + ".made")) { made.serialize(to); }
    }

    private static void wide(String name, byte[] bytes) throws IOException {
        Roaring64NavigableMap read = new Roaring64NavigableMap(), made = new Roaring64NavigableMap();
        read.deserializePortable(new DataInputStream(new ByteArrayInputStream(bytes)));
        long[] ids = read.toArray();
        ByteBuffer raw = ByteBuffer.allocate(ids.length * 8).order(ByteOrder.LITTLE_ENDIAN);
        raw.asLongBuffer().put(ids);
        for (long id : ids) made.addLong(id);
        made.runOptimize();
        Files.write(Path.of(name + ".ids"), raw.array());
        try (DataOutputStream to = to(name + ".back")) { read.serializePortable(to); }
        try (DataOutputStream to = to(name + ".made")) { made.serializePortable(to); }
    }

    private static DataOutputStream to(String path) throws IOException {
        return new DataOutputStream(new BufferedOutputStream(new FileOutputStream(path)));
    }
}
