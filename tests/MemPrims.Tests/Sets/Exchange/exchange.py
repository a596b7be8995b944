"""exchange.py FOLDER, with Python's pyroaring. Exchange.java says what it writes."""
import glob, os, sys
from array import array
from pyroaring import BitMap, BitMap64

for kind, suffix, code in ((BitMap, '.set', 'I'), (BitMap64, '.set64', 'Q')):
    for path in glob.glob(os.path.join(sys.argv[1], '*' + suffix)):
        with open(path, 'rb') as file:
            read = kind.deserialize(file.read())
        made = kind(list(read))
        made.run_optimize()
        for name, data in (('.ids', array(code, read).tobytes()), ('.back', read.serialize()), ('.made', made.serialize())):
            with open(path[:-len(suffix)] + name, 'wb') as file:
                file.write(data)
