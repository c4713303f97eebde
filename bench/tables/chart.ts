import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from '../lib/statistics.ts';

const RESULTS = join(import.meta.dirname, '../results/serving.json');
const DOCS = join(import.meta.dirname, '../../docs');

/** The servers of the chart by their names in the results. */
const SERVERS: Readonly<Record<string, string>> = {
  nginx: 'nginx, from a folder',
  'bare-http': 'bare node:http, from memory',
  pinfold: 'Pinfold, as shipped',
  caddy: 'Caddy, from a folder',
  'express-static': 'express.static, from a folder',
  sirv: 'sirv, from a folder',
  'fastify-static': '@fastify/static, from a folder',
};

const THEMES = {
  light: { text: '#1f2328', other: '#8c959f', own: '#0969da' },
  dark: { text: '#e6edf3', other: '#6e7681', own: '#4493f8' },
} as const;

const [WIDTH, BAR, GAP, LABEL, NUMBER] = [720, 18, 10, 210, 90];

/** Draws the rates of a small page from the results, for light and dark pages. */
export async function run(): Promise<void> {
  const { rows } = JSON.parse(await readFile(RESULTS, 'utf8'));
  const { values } = rows.find(({ what }: { readonly what: string }) => what === 'small page: pinfold');
  const rates = Object.entries(SERVERS)
    .filter(([name]) => name in values)
    .map(([name, label]) => ({ name, label, rate: Math.round(median(values[name])) }))
    .sort((one, other) => other.rate - one.rate);
  for (const [theme, colours] of Object.entries(THEMES))
    await writeFile(join(DOCS, `performance-${theme}.svg`), drawn(rates, colours));
}

interface Bar {
  readonly name: string;
  readonly label: string;
  readonly rate: number;
}

function drawn(bars: readonly Bar[], { text, other, own }: (typeof THEMES)[keyof typeof THEMES]): string {
  const most = Math.max(...bars.map(({ rate }) => rate));
  const height = bars.length * (BAR + GAP) + GAP;
  const lines = bars.map(({ name, label, rate }, n) => {
    const y = GAP + n * (BAR + GAP);
    const width = Math.round((rate / most) * (WIDTH - LABEL - NUMBER));
    const middle = y + BAR / 2 + 4;
    return `  <text x="${LABEL - 8}" y="${middle}" text-anchor="end" fill="${text}">${label}</text>
  <rect x="${LABEL}" y="${y}" width="${width}" height="${BAR}" rx="2" fill="${name === 'pinfold' ? own : other}"/>
  <text x="${LABEL + width + 6}" y="${middle}" fill="${text}">${rate.toLocaleString('en')}/s</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
  <title>Requests a second for a small page, one core</title>
${lines.join('\n')}
</svg>
`;
}
