const LITTLE_ENDIAN = 0xfeff;
const BIG_ENDIAN = 0xfffe;

/** The text of bytes that begin with the byte order mark of UTF-16, as editors and shells of Windows write it. */
export function utf16Text(bytes: Buffer): string | undefined {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16LE(0);
  if (mark === LITTLE_ENDIAN) return bytes.toString('utf16le', 2);
  if (mark !== BIG_ENDIAN) return undefined;
  const whole = bytes.length - (bytes.length % 2);
  return Buffer.from(bytes.subarray(2, whole)).swap16().toString('utf16le');
}
