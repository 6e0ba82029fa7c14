// Bytes as people read them: hexadecimal digits, characters of ASCII and EBCDIC, and the values that COBOL and C would see in them.
//
// Pure. EBCDIC here is CCSID 37, the one of most listings; other sets are read by the server in the text view.

/** Bytes of a row. */
export const ROW = 16;

const EBCDIC = '................................................................ .âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@\'="Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×{ABCDEFGHI.ôöòóõ}JKLMNOPQR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ.';

export function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

export function ascii(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
}

export function ebcdic(byte: number): string {
  return EBCDIC[byte] ?? '.';
}

export interface Reading {
  name: 'signed' | 'unsigned' | 'packed' | 'zoned' | 'ieee' | 'hexFloat' | 'ascii' | 'ebcdic';
  value: string;
}

/** What the bytes may mean. Only readings that are possible are given. */
export function readings(bytes: Uint8Array, isLittle: boolean): Reading[] {
  const found: Reading[] = [];
  const add = (name: Reading['name'], value: string | undefined) => value !== undefined && found.push({ name, value });
  if ([1, 2, 4, 8].includes(bytes.length)) {
    const unsigned = binary(bytes, isLittle);
    const top = 1n << BigInt(bytes.length * 8 - 1);
    add('unsigned', String(unsigned));
    if (unsigned >= top) add('signed', String(unsigned - 2n * top));
  }
  add('packed', packed(bytes));
  add('zoned', zoned(bytes));
  if (bytes.length === 4 || bytes.length === 8) {
    const view = new DataView(Uint8Array.from(bytes).buffer);
    add('ieee', String(bytes.length === 4 ? view.getFloat32(0, isLittle) : view.getFloat64(0, isLittle)));
    add('hexFloat', hexFloat(bytes));
  }
  add('ascii', Array.from(bytes, ascii).join(''));
  add('ebcdic', Array.from(bytes, ebcdic).join(''));
  return found;
}

function binary(bytes: Uint8Array, isLittle: boolean): bigint {
  let value = 0n;
  for (const byte of isLittle ? [...bytes].reverse() : bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

/** Packed decimal: two digits a byte, the sign in the last half. */
export function packed(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.length > 16) return undefined;
  const halves = Array.from(bytes, hex).join('');
  const [digits, sign] = [halves.slice(0, -1), halves.at(-1) ?? ''];
  if (!/^\d*$/.test(digits) || !/[a-f]/.test(sign)) return undefined;
  return signed(digits, sign === 'd' || sign === 'b');
}

/** Zoned decimal of EBCDIC: a digit a byte, the sign in the zone of the last. */
export function zoned(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.length > 31) return undefined;
  const last = bytes.at(-1) ?? 0;
  const isDigit = (byte: number, zone: number) => byte >> 4 === zone && (byte & 0xf) <= 9;
  if (!bytes.slice(0, -1).every((byte) => isDigit(byte, 0xf)) || (last & 0xf) > 9 || last >> 4 < 0xa) return undefined;
  return signed(Array.from(bytes, (byte) => byte & 0xf).join(''), last >> 4 === 0xd || last >> 4 === 0xb);
}

function signed(digits: string, isNegative: boolean): string {
  const plain = digits.replace(/^0+(?=\d)/, '') || '0';
  return isNegative ? `-${plain}` : plain;
}

/** Floating point of S/390: base 16, exponent in excess of 64. */
export function hexFloat(bytes: Uint8Array): string {
  const first = bytes[0] ?? 0;
  let fraction = 0;
  for (let at = bytes.length - 1; at > 0; at -= 1) fraction = (fraction + (bytes[at] ?? 0)) / 256;
  const value = fraction * 16 ** ((first & 0x7f) - 64);
  return String(first & 0x80 ? -value : value);
}
