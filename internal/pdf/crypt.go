package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// method is how strings or streams are encrypted.
type method uint8

const (
	identity method = iota
	methodRC4
	methodAES    // AES-128, a key for each object
	methodAES256 // one key
)

// crypt decrypts a file of the standard security handler (7.6.4) under the empty user password.
type crypt struct {
	key              []byte
	strings, streams method
}

// padding stands for what a password is too short (7.6.4.3.2).
func padding() []byte {
	return []byte{0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
		0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A}
}

// newCrypt returns nil when the empty password does not open the file, or its encryption is not known.
func newCrypt(f *File, e dict) *crypt {
	plain := func(key string) []byte {
		t, _ := f.get(e[key]).(text)
		return t
	}
	number := func(key string) int {
		n, _ := f.get(e[key]).(float64)
		return int(n)
	}
	if f.get(e["Filter"]) != name("Standard") {
		return nil
	}
	v, r := number("V"), number("R")
	c := &crypt{}
	switch {
	case v == 1 || v == 2:
		c.strings, c.streams = methodRC4, methodRC4
	case v == 4 || v == 5:
		filters, _ := f.dict(e["CF"])
		of := func(key string) method {
			n, _ := f.get(e[key]).(name)
			cf, _ := f.dict(filters[string(n)])
			switch f.get(cf["CFM"]) {
			case name("V2"):
				return methodRC4
			case name("AESV2"):
				return methodAES
			case name("AESV3"):
				return methodAES256
			}
			return identity
		}
		c.strings, c.streams = of("StrF"), of("StmF")
	default:
		return nil
	}
	if v == 5 {
		c.key = fileKey256(plain("U"), plain("UE"), r)
	} else {
		length := number("Length") / 8
		if length < 5 || length > 16 {
			length = 5
		}
		if v == 4 {
			length = 16
		}
		var id []byte
		if ids := f.list(f.trailer["ID"]); len(ids) > 0 {
			id, _ = f.get(ids[0]).(text)
		}
		c.key = fileKey(plain("O"), plain("U"), id, uint32(int64(number("P"))), r, length, f.get(e["EncryptMetadata"]) != false)
	}
	if c.key == nil {
		return nil
	}
	return c
}

// fileKey is algorithm 2, checked by algorithm 4 or 5; nil: the empty password is not the one.
func fileKey(o, u, id []byte, p uint32, r, length int, metadata bool) []byte {
	if len(o) < 32 || len(u) < 16 {
		return nil
	}
	h := md5.New()
	h.Write(padding())
	h.Write(o[:32])
	_ = binary.Write(h, binary.LittleEndian, p) // a hash takes anything
	h.Write(id)
	if r >= 4 && !metadata {
		h.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF})
	}
	if r < 3 {
		length = 5
	}
	key := h.Sum(nil)
	if r >= 3 {
		for range 50 {
			sum := md5.Sum(key[:length])
			key = sum[:]
		}
	}
	key = key[:length]
	if r < 3 {
		if !bytes.Equal(rc4Of(key, padding()), u[:min(32, len(u))]) {
			return nil
		}
		return key
	}
	sum := md5.Sum(append(padding(), id...))
	check := sum[:]
	for i := range 20 {
		k := make([]byte, len(key))
		for n := range key {
			k[n] = key[n] ^ byte(i)
		}
		check = rc4Of(k, check)
	}
	if !bytes.Equal(check, u[:16]) {
		return nil
	}
	return key
}

// fileKey256 is algorithm 2.A.
func fileKey256(u, ue []byte, r int) []byte {
	if len(u) < 48 || len(ue) < 32 {
		return nil
	}
	if !bytes.Equal(hash256(u[32:40], r), u[:32]) {
		return nil
	}
	block, err := aes.NewCipher(hash256(u[40:48], r))
	if err != nil {
		return nil
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, 16)).CryptBlocks(key, ue[:32])
	return key
}

// hash256 is algorithm 2.B for the empty password.
func hash256(salt []byte, r int) []byte {
	sum := sha256.Sum256(salt)
	k := sum[:]
	if r < 6 {
		return k
	}
	for round := 0; ; round++ {
		k1 := bytes.Repeat(k, 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(k1, k1)
		mod := 0
		for _, c := range k1[:16] {
			mod += int(c)
		}
		switch mod % 3 {
		case 0:
			s := sha256.Sum256(k1)
			k = s[:]
		case 1:
			s := sha512.Sum384(k1)
			k = s[:]
		default:
			s := sha512.Sum512(k1)
			k = s[:]
		}
		if round >= 63 && int(k1[len(k1)-1]) <= round-31 {
			return k[:32]
		}
	}
}

func rc4Of(key, in []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(in))
	c.XORKeyStream(out, in)
	return out
}

// decrypt decrypts a string or a stream of an object (7.6.3).
func (c *crypt) decrypt(o *object, in []byte, m method) []byte {
	key := c.key
	if m == methodRC4 || m == methodAES {
		salted := append(bytes.Clone(key), byte(o.num), byte(o.num>>8), byte(o.num>>16), byte(o.gen), byte(o.gen>>8))
		if m == methodAES {
			salted = append(salted, "sAlT"...)
		}
		sum := md5.Sum(salted)
		key = sum[:min(len(key)+5, 16)]
	}
	switch m {
	case identity:
		return in
	case methodRC4:
		return rc4Of(key, in)
	}
	if len(in) < 32 {
		return nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	out := bytes.Clone(in[16 : len(in)-len(in)%16])
	cipher.NewCBCDecrypter(block, in[:16]).CryptBlocks(out, out)
	if pad := int(out[len(out)-1]); pad >= 1 && pad <= 16 {
		out = out[:len(out)-pad]
	}
	return out
}
