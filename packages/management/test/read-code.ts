import decodeQR from 'qr/decode.js';

const SCALE = 4;

/** Reads a QR code that is drawn as unit squares in one path, each at a position set by `M` or `m`. */
export function readCode(svg: string): string {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const dark = new Set<string>();
  let [x, y] = [0, 0];
  for (const [, command, across = '', down = ''] of svg.matchAll(/([Mm])(-?\d+) ?(-?\d+)h1v1/g)) {
    const [from, above] = command === 'M' ? [0, 0] : [x, y];
    [x, y] = [from + Number(across), above + Number(down)];
    dark.add(`${x} ${y}`);
  }
  const width = side * SCALE;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (let at = 0; at < width * width; at += 1) {
    const module = `${Math.floor((at % width) / SCALE)} ${Math.floor(at / width / SCALE)}`;
    if (dark.has(module)) data.fill(0, at * 4, at * 4 + 3);
  }
  return decodeQR({ width, height: width, data });
}
