import type { Pin } from '@pinfold/client';
import { stateText } from './arguments.ts';
import { formatBytes } from './pluralize.ts';

export type Fact = readonly [name: string, value: string];

export function pinFacts(pin: Pin): readonly Fact[] {
  return [
    ['link', pin.shared_url],
    ['title', pin.title ?? '-'],
    ['state', stateText(pin.state)],
    ['published', pin.published_at],
    pin.deleted_at === null ? ['expires', pin.expires_at ?? 'never'] : ['stopped', pin.deleted_at],
    ['password', pin.password_protected ? 'yes' : 'no'],
    ['files', `${pin.file_count}, ${formatBytes(pin.size)}`],
    ['from', pin.original_filename ?? '-'],
  ];
}

export function linesOf(facts: readonly Fact[]): readonly string[] {
  return facts.map(([name, value]) => `${name.padEnd(11)}${value}`);
}
