import type { Family, Snapshot } from './metrics-snapshot.ts';

/** The media type of {@link exposition}. */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Writes figures as Prometheus reads them, format 0.0.4. */
export function exposition(snapshot: Snapshot): string {
  const families = Object.values(snapshot).sort((a, b) => (a.name < b.name ? -1 : 1));
  return families.map(written).join('');
}

/** Labels as they are written: `route="site",method="GET"`. */
export function labelsOf(names: readonly string[], values: readonly string[]): string {
  return names.map((name, at) => `${name}="${escaped(values[at] ?? '')}"`).join(',');
}

function written(family: Family): string {
  const { name, help, type, series } = family;
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  for (const [labels, values] of Object.entries(series)) {
    if (type === 'histogram') lines.push(...histogramLines(family, labels, values));
    else lines.push(line(name, labels, values[0]));
  }
  return `${lines.join('\n')}\n`;
}

function histogramLines({ name, bounds }: Family, labels: string, values: readonly number[]): string[] {
  const lines: string[] = [];
  let count = 0;
  for (const [at, bound] of [...bounds, Number.POSITIVE_INFINITY].entries()) {
    count += values[at] ?? 0;
    const le = `le="${bound === Number.POSITIVE_INFINITY ? '+Inf' : bound}"`;
    lines.push(line(`${name}_bucket`, labels === '' ? le : `${labels},${le}`, count));
  }
  lines.push(line(`${name}_sum`, labels, values.at(-1)), line(`${name}_count`, labels, count));
  return lines;
}

function line(name: string, labels: string, value: number = 0): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
