import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { palette as PALETTE, paletteOf } from '@pinfold/http/internal';
import { expect } from 'chai';

const packages = join(import.meta.dirname, '..', 'packages');
const STYLES = 'management/styles';
/** The style sheets other than the management screen's, which has the whole palette. */
const OTHERS = ['http/src/public-page.ts', 'pinfold/welcome/style.css'];

async function sheet(file: string): Promise<string> {
  const text = await readFile(join(packages, file), 'utf8');
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '');
}

async function everySheet(): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(join(packages, STYLES));
  const own = names.filter((name) => name.endsWith('.css')).map((name) => `${STYLES}/${name}`);
  return new Map(
    await Promise.all([...own, ...OTHERS].map(async (file) => [file, await sheet(file)] as const)),
  );
}

/** The values of the declarations of a sheet whose names have this prefix. */
function declared(text: string, name: string): readonly string[] {
  return [...text.matchAll(new RegExp(`(?<=[{;\\s])${name}[\\w-]*:([^;}]+)`, 'g'))].map(([, value]) =>
    (value ?? '').trim(),
  );
}

/** The relative luminance of a colour of CSS Color 4, section 9.4, by its sample code and WCAG 2.2's definition. */
function luminance(oklch: string): number {
  const [lightness = Number.NaN, chroma = Number.NaN, hue = Number.NaN] = oklch.split(' ').map(Number);
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const within = (value: number): number => Math.min(1, Math.max(0, value));
  const red = within(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = within(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = within(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

const GROUNDS = ['page', 'surface', 'raised'] as const;
/** Text and background colors: at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
const TEXT_PAIRS: readonly (readonly [ink: string, grounds: readonly string[]])[] = [
  ['text', [...GROUNDS, 'accent-faint', 'good-faint', 'warning-faint', 'bad-faint']],
  ['quiet', [...GROUNDS, 'accent-faint', 'warning-faint']],
  ['accent', [...GROUNDS, 'accent-faint']],
  ['accent-strong', [...GROUNDS, 'accent-faint']],
  ['on-accent', ['accent', 'accent-strong']],
  ['on-bad', ['bad']],
  ['good', ['page', 'surface', 'good-faint']],
  ['warning', ['surface', 'warning-faint']],
  ['bad', [...GROUNDS, 'bad-faint']],
];
/** The edges of fields and buttons, and focus rings: at least 3 to 1 (1.4.11). */
const EDGE_PAIRS: typeof TEXT_PAIRS = [
  ['edge', ['page', 'surface']],
  ['accent', [...GROUNDS]],
  ['bad', ['surface']],
];

describe('the shared theme', () => {
  it('has one palette, which no sheet repeats', async () => {
    for (const [file, text] of await everySheet()) expect(declared(text, '--'), file).to.deep.equal([]);
  });

  it('declares every custom property that a sheet uses, and no other', async () => {
    const sheets = await everySheet();
    const used = (text: string) => [
      ...new Set([...text.matchAll(/var\(--([\w-]+)/g)].map(([, name]) => name)),
    ];
    const styles = [...sheets].filter(([file]) => file.startsWith(STYLES)).map(([, text]) => text);
    expect(used(styles.join('\n')), STYLES).to.have.members(Object.keys(PALETTE));
    for (const file of OTHERS) {
      const text = sheets.get(file) ?? '';
      expect(declared(paletteOf(text), '--'), file).to.have.lengthOf(used(text).length);
    }
  });

  for (const [theme, at] of [['light', 0] as const, ['dark', 1] as const]) {
    it(`can be read in the ${theme} theme (WCAG 2.2 AA)`, async () => {
      const of = (name: string): number => {
        const pair = [...(new Map(Object.entries(PALETTE)).get(name) ?? '').matchAll(/oklch\(([^)]+)\)/g)];
        return luminance(pair[at]?.[1] ?? '');
      };
      for (const [pairs, minContrast] of [[TEXT_PAIRS, 4.5] as const, [EDGE_PAIRS, 3] as const])
        for (const [ink, grounds] of pairs)
          for (const ground of grounds)
            expect(contrast(of(ink), of(ground)), `${ink} on ${ground}`).to.be.at.least(minContrast);
    });
  }

  it('has four font sizes, and one more for the welcome site’s headline', async () => {
    for (const [file, text] of await everySheet()) {
      for (const value of [...declared(text, 'font-size'), ...declared(text, 'font(?!-)')])
        expect(value, file).to.match(
          /^(?:inherit|1rem|0\.875em|16px ?\/ ?1\.5 var\(--sans\)|var\(--(?:small|large|title)\)(?: \/ 24px var\(--mono\))?|clamp\(2rem, 5vw, 3rem\))$/,
        );
    }
  });

  it('has distances in steps of 4 px', async () => {
    for (const [file, text] of await everySheet()) {
      for (const name of ['padding', 'margin', 'gap', 'line-height']) {
        for (const value of declared(text, name)) {
          const odd = [...value.matchAll(/-?\b(\d+(?:\.\d+)?)px/g)].filter(
            ([, number]) => Number(number) % 4 !== 0 && number !== '1',
          );
          expect(odd.map(String), `${file}: ${name}: ${value}`).to.deep.equal([]);
        }
      }
    }
  });
});
