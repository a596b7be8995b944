// exchange.go FOLDER, with Go's library github.com/RoaringBitmap/roaring. Exchange.java says what it writes; sets of 32 bits only.
package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"

	"github.com/RoaringBitmap/roaring"
)

func main() {
	names, err := filepath.Glob(filepath.Join(os.Args[1], "*.set"))
	check(err)
	for _, path := range names {
		name := strings.TrimSuffix(path, ".set")
		data, err := os.ReadFile(path)
		check(err)
		read, made := roaring.New(), roaring.New()
		_, err = read.ReadFrom(bytes.NewReader(data))
		check(err)
		var ids bytes.Buffer
		check(binary.Write(&ids, binary.LittleEndian, read.ToArray()))
		for _, id := range read.ToArray() {
			made.Add(id)
		}
		made.RunOptimize()
		write(name+".ids", ids.Bytes(), nil)
		back, err := read.ToBytes()
		write(name+".back", back, err)
		again, err := made.ToBytes()
		write(name+".made", again, err)
	}
}

func write(path string, data []byte, err error) {
	check(err)
	check(os.WriteFile(path, data, 0o600))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
