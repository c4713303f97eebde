/** The upper half of IBM code page 437, the encoding of names without flag bit 11 (APPNOTE.TXT, appendix D). */
const UPPER_HALF =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ' +
  'áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
  '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀' +
  'αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** Decodes bytes as code page 437. Its lower half is ASCII; control characters stay what they are. */
export function decodeCp437(bytes: Uint8Array): string {
  // A string that grows by one character at a time is a tree, which takes many times the memory and time.
  const utf16 = new DataView(new ArrayBuffer(bytes.length * 2));
  for (const [index, byte] of bytes.entries()) {
    utf16.setUint16(index * 2, byte < 0x80 ? byte : UPPER_HALF.charCodeAt(byte - 0x80), true);
  }
  return new TextDecoder('utf-16le').decode(utf16);
}
